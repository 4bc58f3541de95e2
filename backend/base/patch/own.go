package patch

import "strings"

// The marker lines of the apply_patch format.
const (
	addMark    = "*** Add File: "
	updateMark = "*** Update File: "
	deleteMark = "*** Delete File: "
	moveMark   = "*** Move to: "
	endOfFile  = "*** End of File"
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
)

// parseOwn parses the apply_patch format. Some agents omit the frame, or put the patch into a here-document.
func parseOwn(lines []string) (files []File, ok bool) {
	start := 0
	for start < len(lines) && !marks(lines[start]) {
		if strings.HasPrefix(lines[start], "--- ") || strings.HasPrefix(lines[start], "diff --git ") {
			return nil, false
		}
		start++
	}
	framed := start > 0 && strings.TrimSpace(lines[start-1]) == beginPatch
	for i := start; i < len(lines); {
		line := lines[i]
		if strings.TrimSpace(line) == endPatch {
			return files, len(files) > 0
		}
		if !marks(line) {
			if strings.TrimSpace(line) == "" || !framed && len(files) > 0 && strings.HasPrefix(line, "```") {
				i++
				continue
			}
			return nil, false
		}
		if len(files) == maxFiles {
			return nil, false
		}
		var f File
		if f, i, ok = ownFile(lines, i); !ok {
			return nil, false
		}
		files = append(files, f)
	}
	return files, len(files) > 0
}

// marks reports whether a line is the beginning of a file.
func marks(line string) bool {
	return strings.HasPrefix(line, addMark) || strings.HasPrefix(line, updateMark) || strings.HasPrefix(line, deleteMark)
}

// ownFile parses the file that begins at line i, and returns the index after it.
func ownFile(lines []string, i int) (f File, next int, ok bool) {
	f.own = true
	line := lines[i]
	i++
	if path, found := strings.CutPrefix(line, deleteMark); found {
		f.Op, f.Path = Delete, strings.TrimSpace(path)
		return f, i, f.Path != ""
	}
	if path, found := strings.CutPrefix(line, addMark); found {
		f.Op, f.Path = Add, strings.TrimSpace(path)
		var h Hunk
		for ; i < len(lines); i++ {
			text, found := strings.CutPrefix(lines[i], "+")
			if !found {
				break
			}
			h.Lines = append(h.Lines, Line{'+', text})
		}
		f.Hunks = []Hunk{h}
		return f, i, f.Path != ""
	}
	f.Op, f.Path = Update, strings.TrimSpace(strings.TrimPrefix(line, updateMark))
	if i < len(lines) {
		if to, found := strings.CutPrefix(lines[i], moveMark); found {
			f.To = strings.TrimSpace(to)
			i++
		}
	}
	f.Hunks, i, ok = ownHunks(lines, i)
	return f, i, ok && f.Path != "" && (len(f.Hunks) > 0 || f.To != "")
}

// ownHunks parses the hunks of a file from line i on, and returns the index after them.
func ownHunks(lines []string, i int) (hunks []Hunk, next int, ok bool) {
	var h Hunk
	put := func() bool {
		if len(h.Lines) > 0 {
			hunks = append(hunks, h)
		} else if len(h.Marks) > 0 {
			return false // it changes nothing
		}
		h = Hunk{}
		return true
	}
	for ; i < len(lines); i++ {
		line := lines[i]
		switch {
		case marks(line) || strings.TrimSpace(line) == endPatch:
			return hunks, i, put()
		case line == endOfFile:
			h.End = true
			if !put() {
				return nil, i, false
			}
		case line == "@@" || strings.HasPrefix(line, "@@ "):
			if len(h.Lines) > 0 && !put() {
				return nil, i, false
			}
			// Models sometimes mix in lines of unified diffs such as "@@ -1,3 +1,4 @@".
			if mark := strings.TrimPrefix(strings.TrimPrefix(line, "@@"), " "); mark != "" && !isRange(line) {
				h.Marks = append(h.Marks, mark)
			}
		case line == "":
			if rest := strings.TrimSpace(strings.Join(lines[i:], "")); rest == "" || strings.HasPrefix(rest, "```") {
				return hunks, len(lines), put() // no frame, only trailing line breaks
			}
			h.Lines = append(h.Lines, Line{' ', ""})
		case line[0] == ' ' || line[0] == '+' || line[0] == '-':
			h.Lines = append(h.Lines, Line{line[0], line[1:]})
		default:
			return nil, i, false
		}
	}
	return hunks, i, put()
}
