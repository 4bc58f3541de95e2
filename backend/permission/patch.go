package permission

import (
	"cmp"
	"slices"
	"strings"
)

// patchMarks begin the lines that name the files of a patch of the form that apply_patch reads. Some agents leave out the frame around it.
var patchMarks = []string{"*** Add File: ", "*** Update File: ", deleteMark, "*** Move to: "}

const deleteMark = "*** Delete File: "

// patchKind is what a patch does: "delete" if it does nothing else, "edit" otherwise.
func patchKind(s string) string {
	kind := ""
	for line := range strings.Lines(s) {
		switch {
		case strings.HasPrefix(line, deleteMark):
			kind = cmp.Or(kind, "delete")
		case slices.ContainsFunc(patchMarks, func(mark string) bool { return strings.HasPrefix(line, mark) }):
			kind = "edit"
		}
	}
	return cmp.Or(kind, "edit")
}

// patched lists the files that a patch names, nil if the text is none.
func patched(s string) (paths []string) {
	unified := strings.HasPrefix(s, "--- ") || strings.Contains(s, "\n--- ")
	if !unified && !strings.Contains(s, "*** ") {
		return nil
	}
	git := strings.HasPrefix(s, "diff --git ") || strings.Contains(s, "\ndiff --git ")
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		name, ok := "", false
		for _, mark := range patchMarks {
			if name, ok = strings.CutPrefix(line, mark); ok {
				break
			}
		}
		for _, mark := range []string{"--- ", "+++ "} {
			if rest, found := strings.CutPrefix(line, mark); found && unified && !ok {
				name, _, _ = strings.Cut(rest, "\t")
				if ok = name != "/dev/null"; ok && git && len(name) > 2 && name[1] == '/' {
					name = name[2:] // git names the sides a/ and b/
				}
			}
		}
		if name = strings.TrimSpace(name); ok && name != "" {
			paths = append(paths, name)
		}
	}
	return paths
}

// shown is what the diffs of a call show.
type shown struct {
	texts []string
	lines map[string]bool // of the texts, made when a patch is looked for
	left  int             // bytes that may still be searched
}

// maxSearched is how much of the diffs is searched for the texts of a call's arguments, in bytes.
const maxSearched = 8 << 20

func newShown(texts []string) shown { return shown{texts: texts, left: maxSearched} }

// has reports whether the diffs show a text: one of their sides has it, or each line that it adds or removes is one of theirs.
func (d *shown) has(s string) bool {
	if s == "" {
		return true
	}
	for _, t := range d.texts {
		if d.left -= len(t) + len(s); d.left < 0 {
			return false
		}
		if strings.Contains(t, s) {
			return true
		}
	}
	return len(d.texts) > 0 && patched(s) != nil && d.hasPatch(s)
}

func (d *shown) hasPatch(s string) bool {
	if d.lines == nil {
		d.lines = map[string]bool{}
		for _, t := range d.texts {
			for line := range strings.Lines(t) {
				d.lines[strings.TrimRight(line, "\r\n")] = true
			}
		}
	}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "", strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "***"), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "),
			strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "Index: "), strings.Trim(line, "=") == "", strings.HasPrefix(line, `\ No newline`):
		case strings.IndexByte("+- ", line[0]) < 0, !d.lines[line[1:]]:
			return false
		}
	}
	return true
}
