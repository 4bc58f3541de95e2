package settings

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Problem is what is wrong with the settings file, in words a user can act on.
// It is also the error of a refused [File.Update].
//
//nolint:errname // it is shown far more often than it is returned
type Problem struct {
	File    string `json:"file"`    // path of the settings file
	Line    int    `json:"line"`    // from 1; 0 when the problem is not at a place in the file
	Col     int    `json:"col"`     // in characters, from 1; 0 as above
	Message string `json:"message"` // one sentence
}

// Error gives the problem with its place, the way compilers write it.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.Message)
}

// RefusedError is returned by [File.Update] when the file on disk is broken: the
// change was not made, because writing it would have overwritten the user's edit.
type RefusedError struct{ Problem *Problem }

// Error says what to do first.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the change was not saved, because the settings file has a mistake that saving would overwrite. Correct it first: %v", e.Problem)
}

// Unwrap gives the *Problem.
func (e *RefusedError) Unwrap() error { return e.Problem }

// problemAt makes a problem at a byte offset of data.
func problemAt(data []byte, offset int, format string, args ...any) *Problem {
	offset = min(max(offset, 0), len(data))
	before := data[:offset]
	line := bytes.Count(before, []byte{'\n'}) + 1
	col := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return &Problem{Line: line, Col: col, Message: fmt.Sprintf(format, args...)}
}
