package patch

import (
	"slices"
	"strings"
)

// Name is a file that a patch names.
type Name struct {
	Path     string
	Prefixed bool // see [File.Prefixed]
}

// Names returns the files that a patch names, or nil if the text isn't a patch. It is more lenient than [Parse]: it
// isn't known what the agent accepts as a patch, so every line that may name a file counts.
func Names(s string) (list []Name) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	unified := strings.HasPrefix(s, "--- ") || strings.Contains(s, "\n--- ") || strings.HasPrefix(s, "diff --git ") || strings.Contains(s, "\ndiff --git ")
	if !unified && !strings.Contains(s, "*** ") {
		return nil
	}
	add := func(path string, prefixed bool) {
		if path = strings.TrimSpace(path); path != "" && !slices.Contains(list, Name{path, prefixed}) {
			list = append(list, Name{path, prefixed})
		}
	}
	files := Parse(s)
	for i := range files {
		add(files[i].Path, files[i].Prefixed)
		add(files[i].To, files[i].Prefixed)
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		for _, mark := range []string{addMark, updateMark, deleteMark, moveMark} {
			if name, ok := strings.CutPrefix(line, mark); ok {
				add(name, false)
			}
		}
		from, first := strings.CutPrefix(line, "--- ")
		pair := first && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ")
		switch {
		case !unified:
		case len(files) > 0 && (!files[0].own || !pair || i+2 >= len(lines) || !strings.HasPrefix(lines[i+2], "@@")):
			// Parse has found the headers.
		case pair:
			var f File
			if f.name("", sideName(from), sideName(lines[i+1][len("+++ "):]), [2]string{}) {
				add(f.Path, f.Prefixed)
				add(f.To, f.Prefixed)
			}
		case first && sideName(from) != nothing:
			add(sideName(from), false)
		case strings.HasPrefix(line, "+++ ") && (i == 0 || !strings.HasPrefix(lines[i-1], "--- ")):
			if name := sideName(line[len("+++ "):]); name != nothing {
				add(name, false)
			}
		}
	}
	return list
}

// Deletes reports whether a patch only deletes files.
func Deletes(s string) bool {
	files := Parse(s)
	return len(files) > 0 && !slices.ContainsFunc(files, func(f File) bool { return f.Op != Delete })
}
