package terminal

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// output keeps the end of a program's output. Offsets count bytes of the text, in which U+FFFD replaces invalid UTF-8.
type output struct {
	keep int // minimum number of bytes to keep

	mu      sync.Mutex
	buf     []byte // at most twice keep
	total   int64  // bytes of the text so far; the last len(buf) are kept
	rest    []byte // the beginning of an incomplete character
	changed chan struct{}
}

func newOutput(keep int) *output {
	return &output{keep: keep, changed: make(chan struct{}, 1)}
}

// Write takes the next part of the stream. It never blocks for a reader and never fails. Its amortized cost is
// proportional to len(b).
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := b
	if len(o.rest) > 0 {
		text = append(o.rest, b...)
	}
	whole := completeRunes(text)
	o.rest = append([]byte(nil), text[whole:]...)
	o.append(text[:whole])
	return len(b), nil
}

// end adds the bytes of an incomplete last character, and frees the memory that only a growing output needs.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.append(o.rest)
	o.rest = nil
	o.buf = append([]byte(nil), o.buf[max(0, len(o.buf)-o.keep):]...)
}

func (o *output) append(text []byte) {
	if len(text) == 0 {
		return
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	o.total += int64(len(text))
	if len(text) > o.keep {
		o.buf, text = o.buf[:0], text[len(text)-o.keep:]
	}
	if len(o.buf)+len(text) > 2*o.keep {
		n := copy(o.buf, o.buf[len(o.buf)-o.keep:])
		o.buf = o.buf[:n]
	}
	o.buf = append(o.buf, text...)
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

// last returns at most the last n bytes, beginning at a character, and their offset.
func (o *output) last(n int) (text string, offset int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	tail := o.buf[max(0, len(o.buf)-max(n, 0)):]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return string(tail), o.total - int64(len(tail))
}

// from returns at most n bytes from offset on, ending at a character. ok is false if they are no longer kept.
func (o *output) from(offset int64, n int) (text string, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	start := offset - (o.total - int64(len(o.buf)))
	if start < 0 {
		return "", false
	}
	part := o.buf[min(start, int64(len(o.buf))):]
	if len(part) > n {
		part = part[:n]
		for len(part) > 0 && !utf8.RuneStart(o.buf[start+int64(len(part))]) {
			part = part[:len(part)-1]
		}
	}
	return string(part), true
}

func (o *output) size() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.total
}

// completeRunes returns the number of bytes of b before an incomplete character at its end.
func completeRunes(b []byte) int {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}
