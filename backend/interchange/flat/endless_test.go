package flat

import (
	"io"
	"strings"
	"testing"
)

// endless is a reader that repeats a text forever and counts the bytes read.
type endless struct {
	text string
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := len(p) - len(p)%len(e.text)
	for at := copy(p[:n], e.text); at < n; at *= 2 {
		copy(p[at:n], p[:at])
	}
	e.read += int64(n)
	return n, nil
}

func TestReadEndsWhereTheFileDoesNot(t *testing.T) {
	good := `{"messages":[{"role":"user","content":"Hi"}]}` + "\n"
	for name, in := range map[string]struct{ before, text string }{
		"zeros":                       {"", "\x00"},
		"zeros behind a conversation": {good, "\x00"},
		"words":                       {"", "y\n"},
		"words behind a conversation": {good, "y\n"},
		"values":                      {"", "1\n"},
		"an open list":                {"", "[\n"},
		"one long text":               {`"`, "a"},
	} {
		for _, lines := range []bool{false, true} {
			found, faults := 0, 0
			src := &endless{text: in.text}
			err := Read(io.MultiReader(strings.NewReader(in.before), src), lines, func(c *Conversation) error {
				if len(c.Faults) > 0 {
					faults++
				} else {
					found++
				}
				return nil
			})
			if err != nil || faults == 0 || faults > maxLost || (found > 0) != (in.before == good) || src.read > 2*maxLine {
				t.Errorf("%s, %t: %v, %d found, %d faults, %d bytes", name, lines, err, found, faults, src.read)
			}
		}
	}
}
