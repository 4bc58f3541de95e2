package protocollog

import (
	"strings"

	"weft/backend/recording"
)

// maxLine is how long a line of stderr gets, in bytes. What is longer is cut into several.
const maxLine = 16 << 10

// Stderr cuts what an agent writes to stderr into lines. Writes must come one at a time, and End after the last one.
type Stderr struct {
	To   func(dir string, line []byte) // gets the lines, such as [Log.Line]
	line []byte
}

// Write takes any part of the stream. It never fails.
func (s *Stderr) Write(b []byte) (int, error) {
	for part := range strings.Lines(string(b)) {
		s.line = append(s.line, part...)
		if part[len(part)-1] == '\n' || len(s.line) >= maxLine {
			s.End()
		}
	}
	return len(b), nil
}

// End hands over what is left of a line.
func (s *Stderr) End() {
	if line := strings.TrimRight(string(s.line), "\r\n"); line != "" {
		s.To(recording.Stderr, []byte(line))
	}
	s.line = s.line[:0]
}
