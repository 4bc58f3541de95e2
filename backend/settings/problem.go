package settings

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"weft/backend/fault"
)

// Problem is what is wrong with the settings file, in words a user can act on.
// It is also the cause of the error of a refused [File.Update].
//
//nolint:errname // it is shown far more often than it is returned
type Problem struct {
	File    string `json:"file"`    // path of the settings file
	Line    int    `json:"line"`    // from 1; 0 when the problem is not at a place in the file
	Col     int    `json:"col"`     // in characters, from 1; 0 as above
	Message string `json:"message"` // one sentence

	said fault.Said // the message with its template and its values apart
}

// Error gives the problem with its place, the way compilers write it.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.Message)
}

// Said returns the message with its template and its values apart, or "" if it has none.
func (p *Problem) Said() fault.Said { return p.said.For(p.Message) }

// sentence returns the problem with its place, as [Problem.Error] writes it.
func (p *Problem) sentence() fault.Said {
	if p.Line == 0 {
		return fault.Say("{{file}}: {{problem}}", p.File, p.said)
	}
	return fault.Say("{{file}}:{{line}}:{{column}}: {{problem}}", p.File, p.Line, p.Col, p.said)
}

// Refused returns the error of a change that was not made because the settings file has a mistake that writing it would have
// overwritten. The problem is its cause.
func Refused(p *Problem) error {
	return fault.New("settings_broken", "The change wasn't saved, because the settings file has a mistake that saving would overwrite. Correct it first: {{problem}}", p.sentence()).Because(p)
}

// invalid returns the error of settings that can't be.
func invalid(p *Problem) error {
	return fault.Told(fault.Invalid, p.Message, p.said).Because(p)
}

// problemAt makes a problem at a byte offset of data.
func problemAt(data []byte, offset int, sentence fault.Said) *Problem {
	offset = min(max(offset, 0), len(data))
	before := data[:offset]
	line := bytes.Count(before, []byte{'\n'}) + 1
	col := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return &Problem{Line: line, Col: col, Message: sentence.String(), said: sentence}
}

// unreadable makes a problem of the whole file.
func unreadable(file string, sentence fault.Said) *Problem {
	return &Problem{File: file, Message: sentence.String(), said: sentence}
}

// without returns the problem without its place, for settings that aren't in a file, or no longer.
func (p *Problem) without(file string) *Problem {
	return &Problem{File: file, Message: p.Message, said: p.said}
}
