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

// File is the part of a patch for one file.
type File struct {
	Op    Op
	Path  string // as in the patch, without git's prefix
	To    string // the new path of a moved file, or ""
	Hunks []Hunk // one hunk with all lines for an added file; one or none for a deleted one
	// Prefixed means that Path and To had git's prefixes, so an absolute path may have lost its slash.
	Prefixed bool
	// Opaque means that the change can't be read, such as a binary diff.
	Opaque bool

	own bool // in the apply_patch format
}

// Hunk is one changed place of a file.
type Hunk struct {
	Marks []string // lines of the file somewhere before the hunk, in order
	At    int      // its first line in the old file, from 1; 0 if unknown
	Lines []Line
	End   bool // it is at the end of the file
	// Bare removes the line break at the end of the file, Closes adds one.
	Bare, Closes bool
}

// Line is a line of a hunk.
type Line struct {
	Kind byte // ' ', '+' or '-'
	Text string
}

// maxFiles is the maximum number of files in a patch.
const maxFiles = 256

// Parse parses a patch. It returns nil if the text isn't a patch, or if a part of it is invalid.
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

// side returns the lines of a hunk except those of one kind: without '+' the old side, without '-' the new one.
func (h *Hunk) side(without byte) []string {
	list := make([]string, 0, len(h.Lines))
	for _, l := range h.Lines {
		if l.Kind != without {
			list = append(list, l.Text)
		}
	}
	return list
}

// reversed returns the inverse patch of a file.
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
