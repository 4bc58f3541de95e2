package agent

import (
	"io"
	"strings"
	"sync"
	"syscall"
)

// StderrLimit is how much of an agent's stderr is kept, in bytes.
const StderrLimit = 64 << 10

// tail keeps the last StderrLimit bytes written to it. A write costs its own
// length only.
type tail struct {
	mu   sync.Mutex
	buf  []byte // grows to StderrLimit, then is a ring
	next int    // where the next byte goes once it is a ring
	tee  io.Writer
	pipe syscall.RawConn // where it comes from, nil before and after, and where it can't be drained
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(b)
	return len(b), nil
}

// add is Write. The mutex is held.
func (t *tail) add(b []byte) {
	if t.tee != nil {
		_, _ = t.tee.Write(b)
	}
	if len(b) > StderrLimit {
		b = b[len(b)-StderrLimit:]
	}
	grow := min(len(b), StderrLimit-len(t.buf))
	t.buf = append(t.buf, b[:grow]...)
	for b = b[grow:]; len(b) > 0; {
		c := copy(t.buf[t.next:], b)
		t.next = (t.next + c) % StderrLimit
		b = b[c:]
	}
}

// copyTo gives w what is kept, and from now on everything that is written.
func (t *tail) copyTo(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, kept := range [][]byte{t.buf[t.next:], t.buf[:t.next]} {
		if len(kept) > 0 {
			_, _ = w.Write(kept)
		}
	}
	t.tee = w
}

// String gives what is kept. Bytes that are not UTF-8 (also a character cut in
// half at the beginning) become U+FFFD.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.buf[t.next:])+string(t.buf[:t.next]), "\uFFFD")
}
