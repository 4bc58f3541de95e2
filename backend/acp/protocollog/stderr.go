package protocollog

import (
	"strings"

	"weft/backend/acp/recording"
)

// maxLine is the maximum size of a line of stderr in bytes. Longer lines are split.
const maxLine = 16 << 10

// Stderr splits an agent's stderr into lines. Writes must come one at a time, and End after the last one.
type Stderr struct {
	To   func(dir string, line []byte) // receives the lines, for example [Log.Line]
	line []byte
}

// Write takes the next part of the stream. It never fails.
func (s *Stderr) Write(b []byte) (int, error) {
	for part := range strings.Lines(string(b)) {
		s.line = append(s.line, part...)
		if part[len(part)-1] == '\n' || len(s.line) >= maxLine {
			s.End()
		}
	}
	return len(b), nil
}

// End passes on an incomplete last line.
func (s *Stderr) End() {
	if line := strings.TrimRight(string(s.line), "\r\n"); line != "" {
		s.To(recording.Stderr, []byte(line))
	}
	s.line = s.line[:0]
}
