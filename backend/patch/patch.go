package patch

import "strings"

// Op is what a patch does with a file.
type Op string

// The operations.
const (
	Add    Op = "add"
	Update Op = "update"
	Delete Op = "delete"
)

// File is the part of a patch that is about one file.
type File struct {
	Op    Op
	Path  string // as the patch names it, without what git puts before it
	To    string // where the file moves, "" if it stays
	Hunks []Hunk // of an added file one, with all of its lines; of a deleted one none, or one
	// Prefixed says that Path and To was behind the prefixes of git: an absolute path may have lost its slash.
	Prefixed bool
	// Opaque says that the patch changes the file in a way that can't be read, such as a binary diff.
	Opaque bool

	own bool // in the form of apply_patch
}

// Hunk is one place of a file that changes.
type Hunk struct {
	Marks []string // lines of the file that are somewhere before it, in order
	At    int      // its first line in the old file, from 1; 0 where that isn't said
	Lines []Line
	End   bool // it is at the end of the file
	// Bare takes the line end at the end of the file away, Closes adds one.
	Bare, Closes bool
}

// Line is a line of a hunk.
type Line struct {
	Kind byte // ' ', '+' or '-'
	Text string
}

// maxFiles is how many files of a patch are read.
const maxFiles = 256

// Parse reads a patch. It returns nil if the text is none, or not one as a whole.
func Parse(s string) []File {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.Contains(s, "--- ") && !strings.Contains(s, "*** ") && !strings.Contains(s, "diff --git ") {
		return nil
	}
	lines := strings.Split(s, "\n")
	if files, ok := parseOwn(lines); ok {
		return files
	}
	files, ok := parseUnified(lines)
	if !ok {
		return nil
	}
	return files
}

// side returns the lines of a hunk but for those of one kind: the old side is without '+', the new one without '-'.
func (h *Hunk) side(without byte) []string {
	list := make([]string, 0, len(h.Lines))
	for _, l := range h.Lines {
		if l.Kind != without {
			list = append(list, l.Text)
		}
	}
	return list
}

// reversed is the part of a patch that takes it back.
func (f *File) reversed() *File {
	back := *f
	back.Hunks = make([]Hunk, len(f.Hunks))
	shift := 0
	for i := range f.Hunks {
		h := f.Hunks[i]
		lines := make([]Line, len(h.Lines))
		added := 0
		for k, l := range h.Lines {
			switch l.Kind {
			case '+':
				l.Kind = '-'
				added++
			case '-':
				l.Kind = '+'
				added--
			}
			lines[k] = l
		}
		if h.At > 0 {
			h.At += shift
		}
		h.Lines, shift = lines, shift+added
		h.Bare, h.Closes = h.Closes, h.Bare
		back.Hunks[i] = h
	}
	return &back
}
