package tool

import (
	"fmt"
	"strings"
	"sync"

	"weft/backend/base/quantity"
)

// Maximum sizes of the beginning and the end of a command's output that are kept.
const (
	maxHead = 2 << 20
	maxTail = 6 << 20
)

// capture is a writer that keeps a command's output and signals changes. It never blocks.
type capture struct {
	mu      sync.Mutex
	head    []byte
	tail    []byte // at most twice maxTail
	total   int64
	changed chan struct{}
}

func newCapture() *capture { return &capture{changed: make(chan struct{}, 1)} }

func (c *capture) Write(b []byte) (int, error) {
	n := len(b)
	c.mu.Lock()
	c.total += int64(n)
	if room := maxHead - len(c.head); room > 0 {
		take := min(room, len(b))
		c.head, b = append(c.head, b[:take]...), b[take:]
	}
	c.tail = append(c.tail, b...)
	if len(c.tail) > 2*maxTail {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-maxTail:]...)
	}
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
	return n, nil
}

// all returns the output, with a note in place of a missing part.
func (c *capture) all() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	end := c.tail[max(0, len(c.tail)-maxTail):]
	missing := c.total - int64(len(c.head)+len(end))
	if missing == 0 {
		return clean(string(c.head) + string(end))
	}
	return clean(string(c.head)) + fmt.Sprintf("\n… %s of the output wasn't kept …\n", quantity.Bytes(missing)) + clean(string(end))
}

// last returns about the last n bytes of the output.
func (c *capture) last(n int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var end []byte
	if len(c.tail) < n {
		end = append(end, c.head[max(0, len(c.head)-(n-len(c.tail))):]...)
	}
	end = append(end, c.tail[max(0, len(c.tail)-n):]...)
	cut := c.total > int64(len(end))
	s := clean(string(end))
	if cut {
		if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)/2 {
			s = s[i+1:]
		}
		s = "…\n" + s
	}
	return s
}

// clean converts a command's output to text. Of a line that was overwritten, such as a progress bar, it keeps the last
// version.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	if !strings.Contains(s, "\r") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		body := strings.TrimRight(line, "\r\n")
		b.WriteString(body[strings.LastIndexByte(body, '\r')+1:])
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
