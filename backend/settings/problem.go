package settings

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"weft/backend/base/fault"
)

// Problem is what is wrong with the settings file, in words a user can act on.
// It is also the cause of the error of a refused [File.Update].
//
//nolint:errname // it is shown far more often than it is returned
type Problem struct {
	File    string `json:"file"`    // path of the settings file
	Line    int    `json:"line"`    // 1-based; 0 if the problem has no position
	Col     int    `json:"col"`     // 1-based, in characters; 0 if the problem has no position
	Message string `json:"message"` // one sentence

	said fault.Said // the message as a template with values, for translation
}

// Error returns the problem with its position, in the format of compilers.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.Message)
}

// Said returns the message as a template with values, or "" if it has none.
func (p *Problem) Said() fault.Said { return p.said.For(p.Message) }

// sentence returns the problem with its position, like [Problem.Error].
func (p *Problem) sentence() fault.Said {
	if p.Line == 0 {
		return fault.Say("{{file}}: {{problem}}", p.File, p.said)
	}
	return fault.Say("{{file}}:{{line}}:{{column}}: {{problem}}", p.File, p.Line, p.Col, p.said)
}

// Refused returns the error of a change that wasn't made because the settings file has a mistake, which a write would
// overwrite. The problem is its cause.
func Refused(p *Problem) error {
	return fault.New("settings_broken", "The change wasn't saved, because the settings file has a mistake that saving would overwrite. Correct it first: {{problem}}", p.sentence()).Because(p)
}

// invalid returns the error for invalid settings.
func invalid(p *Problem) error {
	return fault.Told(fault.Invalid, p.Message, p.said).Because(p)
}

// problemAt returns a problem at a byte offset of data.
func problemAt(data []byte, offset int, sentence fault.Said) *Problem {
	offset = min(max(offset, 0), len(data))
	before := data[:offset]
	line := bytes.Count(before, []byte{'\n'}) + 1
	col := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return &Problem{Line: line, Col: col, Message: sentence.String(), said: sentence}
}

// unreadable returns a problem of the whole file.
func unreadable(file string, sentence fault.Said) *Problem {
	return &Problem{File: file, Message: sentence.String(), said: sentence}
}

// without returns the problem without its position, for settings that aren't in a file.
func (p *Problem) without(file string) *Problem {
	return &Problem{File: file, Message: p.Message, said: p.said}
}
