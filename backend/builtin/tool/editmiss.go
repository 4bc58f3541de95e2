package tool

import (
	"fmt"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/quantity"
)

// notFound returns an error that explains why want isn't in a file: what is there instead, and where.
func notFound(rel, content, want string) error {
	message := "`old_string` doesn't occur in " + rel + ". "
	switch {
	case content == "":
		return failf("%sThe file is empty.", message)
	case lineNumber.MatchString(want) && strings.Contains(content, withoutNumbers(want)):
		return failf("%sIt has the line numbers of the read tool in it, which aren't part of the file. Leave them and the tab behind them out.", message)
	}
	if other := unescaped(want); other != want && strings.Contains(content, other) {
		return failf(`%sIt has escapes like \n or \" where the file has the characters themselves.`, message)
	}
	have, asked := split(content), split(strings.TrimLeft(want, "\r\n"))
	if at := find(have, asked, spaceless); at >= 0 {
		return failf("%sAt line %d there is the same text with other whitespace (%s). The file has:\n%s", message, at+1, whitespace(have[at:], asked), excerpt(have, at, len(asked)))
	}
	if at := find(have, asked, func(s string) string { return strings.ToLower(spaceless(s)) }); at >= 0 {
		return failf("%sAt line %d there is the same text in other letter case. The file has:\n%s", message, at+1, excerpt(have, at, len(asked)))
	}
	if at, differs := closest(have, asked); at >= 0 {
		return failf("%sThe closest is at line %d, which differs from line %d of `old_string` on. The file has:\n%s", message, at+1, differs+1, excerpt(have, at, len(asked)))
	}
	return failf("%sNothing in the file is like it. Read the file again.", message)
}

var lineNumber = lazyregexp.New(`(?m)^ *\d+\t`)

func withoutNumbers(s string) string { return lineNumber.ReplaceAllString(s, "") }

func unescaped(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, "'", `\\`, `\`).Replace(s)
}

// split returns the lines of a text without line ends and trailing empty lines.
func split(s string) []string {
	return strings.Split(strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\n")
}

func spaceless(s string) string { return strings.Join(strings.Fields(s), " ") }

// find returns the index in have where the lines of want begin, or -1. Lines are equal if same maps them to the same
// text.
func find(have, want []string, same func(string) string) int {
	seen := make([]string, len(have))
	for i, line := range have {
		seen[i] = same(line)
	}
	asked := make([]string, len(want))
	for i, line := range want {
		asked[i] = same(line)
	}
	if strings.Join(asked, "") == "" {
		return -1
	}
	for at := 0; at+len(asked) <= len(seen); at++ {
		if within(seen[at:], asked) {
			return at
		}
	}
	return -1
}

// within reports whether have begins with the lines of want. The first line of want may be the end of a line, and the
// last one the beginning.
func within(have, want []string) bool {
	last := len(want) - 1
	for i, line := range want {
		switch {
		case have[i] == line:
		case last == 0 && line != "" && strings.Contains(have[i], line):
		case i == 0 && last > 0 && line != "" && strings.HasSuffix(have[i], line):
		case i == last && last > 0 && line != "" && strings.HasPrefix(have[i], line):
		default:
			return false
		}
	}
	return true
}

// whitespace describes the first difference between lines that differ only in whitespace.
func whitespace(have, want []string) string {
	for i, line := range want {
		if have[i] == line {
			continue
		}
		a, b := indentation(have[i]), indentation(line)
		switch {
		case a != b && strings.TrimSpace(line) != "":
			return fmt.Sprintf("line %d of `old_string` is indented by %s, in the file by %s", i+1, spoken(b), spoken(a))
		case strings.TrimRight(have[i], " \t") != have[i]:
			return fmt.Sprintf("the file has blanks at the end of line %d of the text", i+1)
		case strings.TrimRight(line, " \t") != line:
			return fmt.Sprintf("line %d of `old_string` has blanks at its end", i+1)
		default:
			return fmt.Sprintf("in line %d of `old_string`", i+1)
		}
	}
	return "blank lines around it"
}

func indentation(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

func spoken(indent string) string {
	tabs, spaces := strings.Count(indent, "\t"), strings.Count(indent, " ")
	switch {
	case indent == "":
		return "nothing"
	case spaces == 0:
		return quantity.Count(tabs, "tab", "tabs")
	case tabs == 0:
		return quantity.Count(spaces, "space", "spaces")
	}
	return quantity.Count(tabs, "tab", "tabs") + " and " + quantity.Count(spaces, "space", "spaces")
}

const maxCompared = 20_000 // lines of a file that are compared

// closest returns the index where have is most similar to want, and the first line of want that differs. It looks for
// the place with the most lines of want, or else for the line most similar to its first.
func closest(have, want []string) (at, differs int) {
	asked := map[string]int{}
	for i, line := range want {
		if line = spaceless(line); len(line) > 3 {
			if _, ok := asked[line]; !ok {
				asked[line] = i
			}
		}
	}
	votes := map[int]int{}
	best := -1
	for i, line := range have[:min(len(have), maxCompared)] {
		j, ok := asked[spaceless(line)]
		if !ok || i-j < 0 {
			continue
		}
		if votes[i-j]++; best < 0 || votes[i-j] > votes[best] {
			best = i - j
		}
	}
	if best < 0 {
		best = mostLike(have, want)
	}
	if best < 0 {
		return -1, 0
	}
	for i, line := range want {
		if best+i >= len(have) || have[best+i] != line {
			return best, i
		}
	}
	return best, 0
}

// mostLike returns the index of the line with the most words of want's first line that has any, or -1 if no line has
// half of them.
func mostLike(have, want []string) int {
	first, words := 0, []string(nil)
	for i, line := range want {
		if words = wordsOf(line); len(words) > 0 {
			first = i
			break
		}
	}
	best, most := -1, (len(words)+1)/2
	for i, line := range have[:min(len(have), maxCompared)] {
		n := 0
		for _, word := range words {
			if strings.Contains(line, word) {
				n++
			}
		}
		if n > most || n == most && best < 0 && n > 0 {
			best, most = i, n
		}
	}
	return max(best-first, min(best, 0))
}

var word = lazyregexp.New(`\w{2,}`)

func wordsOf(line string) []string { return word.FindAllString(head(line, 400), 40) }

// excerpt returns lines of a file in the format of the read tool.
func excerpt(have []string, at, n int) string {
	var b strings.Builder
	for i := max(0, at); i < min(len(have), at+min(n, 12)); i++ {
		fmt.Fprintf(&b, "%6d\t%s\n", i+1, head(have[i], 300))
	}
	return b.String()
}
