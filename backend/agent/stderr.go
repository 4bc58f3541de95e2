package agent

import (
	"io"
	"strings"
	"sync"
	"syscall"
)

// StderrLimit is how much of an agent's stderr is kept, in bytes.
const StderrLimit = 64 << 10

// tail keeps the last StderrLimit bytes written to it. The cost of a write depends only on its length.
type tail struct {
	mu   sync.Mutex
	buf  []byte // grows to StderrLimit, then is a ring buffer
	next int    // position of the next byte in the ring buffer
	all  int64  // bytes written so far
	tee  io.Writer
	pipe syscall.RawConn // the source; nil if it can't be drained
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(b)
	return len(b), nil
}

// add is Write with the mutex held.
func (t *tail) add(b []byte) {
	if t.tee != nil {
		_, _ = t.tee.Write(b)
	}
	t.all += int64(len(b))
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

// copyTo writes the kept bytes to w, and from now on everything that is written.
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

// written returns the number of bytes written so far.
func (t *tail) written() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all
}

// since returns the kept bytes that were written after the first n bytes. Invalid UTF-8, including a partial character
// at the beginning, becomes U+FFFD.
func (t *tail) since(n int64) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := string(t.buf[t.next:]) + string(t.buf[:t.next])
	return strings.ToValidUTF8(kept[len(kept)-int(min(t.all-n, int64(len(kept)))):], "\uFFFD")
}
