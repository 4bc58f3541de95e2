package patch

import (
	"strconv"
	"strings"

	"weft/backend/base/lazyregexp"
)

var rangeLine = lazyregexp.New(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

func isRange(line string) bool { return rangeLine.MatchString(line) }

const nothing = "/dev/null"

// parseUnified parses a unified diff.
func parseUnified(lines []string) (files []File, ok bool) {
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "diff --git ") || strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			if len(files) == maxFiles {
				return nil, false
			}
			var f File
			if f, i, ok = unifiedFile(lines, i); !ok {
				return nil, false
			}
			files = append(files, f)
		case strings.HasPrefix(line, "@@ ") && isRange(line), line != "" && strings.ContainsRune("+-", rune(line[0])) && len(files) > 0:
			return nil, false // a change without a file
		default: // prose, or the Index: line of other tools
			i++
		}
	}
	return files, len(files) > 0
}

// unifiedFile parses the headers and hunks of one file, and returns the index after it.
func unifiedFile(lines []string, i int) (f File, next int, ok bool) {
	f.Op = Update
	var git, from, to string
	var renamed [2]string
	header := func(line string) {
		name, value, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "new file mode"), strings.HasPrefix(line, "create file mode"):
			f.Op = Add
		case strings.HasPrefix(line, "deleted file mode"):
			f.Op = Delete
		case strings.HasPrefix(line, "rename from "):
			renamed[0] = unquoted(line[len("rename from "):])
		case strings.HasPrefix(line, "rename to "):
			renamed[1] = unquoted(line[len("rename to "):])
		case strings.HasPrefix(line, "copy from "), strings.HasPrefix(line, "Binary files "), line == "GIT binary patch":
			f.Opaque = true
		case name == "---":
			from = sideName(value)
		case name == "+++":
			to = sideName(value)
		}
	}
	if rest, found := strings.CutPrefix(lines[i], "diff --git "); found {
		git = rest
		i++
	}
	for ; i < len(lines) && !strings.HasPrefix(lines[i], "@@ "); i++ {
		if strings.HasPrefix(lines[i], "diff --git ") || to != "" && !strings.HasPrefix(lines[i], "Binary ") {
			break
		}
		header(lines[i])
	}
	if !f.name(git, from, to, renamed) {
		return f, i, false
	}
	if f.Opaque {
		for i < len(lines) && !strings.HasPrefix(lines[i], "diff --git ") {
			i++
		}
		return f, i, true
	}
	f.Hunks, i, ok = unifiedHunks(lines, i)
	return f, i, ok
}

// sideName returns the name of a side without the timestamp that some tools append.
func sideName(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	return unquoted(strings.TrimSpace(s))
}

// unquoted returns a name without the quotes and escapes that git uses for unusual characters.
func unquoted(s string) string {
	if len(s) > 1 && s[0] == '"' {
		if plain, err := strconv.Unquote(s); err == nil { // git's C escapes are a subset of Go's
			return plain
		}
	}
	return s
}

// unifiedHunks parses the hunks from line i on, and returns the index after them. The lengths in the headers are only a
// hint, because models count badly.
func unifiedHunks(lines []string, i int) (hunks []Hunk, next int, ok bool) {
	for i < len(lines) {
		m := rangeLine.FindStringSubmatch(lines[i])
		if m == nil {
			break
		}
		at, _ := strconv.Atoi(m[1])
		oldLeft, newLeft := length(m[2]), length(m[4])
		if oldLeft == 0 {
			at++ // after that line
		}
		h := Hunk{At: at}
		var bare [2]bool // of the sides, at the end of the file
		for i++; i < len(lines); i++ {
			line := lines[i]
			if strings.HasPrefix(line, `\ No newline`) {
				if n := len(h.Lines); n > 0 {
					kind := h.Lines[n-1].Kind
					bare[0], bare[1] = bare[0] || kind != '+', bare[1] || kind != '-'
				}
				continue
			}
			counted := oldLeft > 0 || newLeft > 0
			if !counted && (line == "" || strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ")) {
				break
			}
			if line == "" { // an editor stripped the space
				if strings.TrimSpace(strings.Join(lines[i:], "")) == "" {
					break
				}
				line = " "
			}
			if strings.IndexByte(" +-", line[0]) < 0 {
				break
			}
			if line[0] != '+' {
				oldLeft--
			}
			if line[0] != '-' {
				newLeft--
			}
			h.Lines = append(h.Lines, Line{line[0], line[1:]})
		}
		if len(h.Lines) == 0 {
			return nil, i, false
		}
		h.Bare, h.Closes = bare[1] && !bare[0], bare[0] && !bare[1]
		hunks = append(hunks, h)
	}
	return hunks, i, true
}

func length(s string) int {
	if s == "" {
		return 1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
