package acp

import (
	"bytes"
	"errors"
	"io"
	"runtime/debug"
)

const (
	// MaxLine is the longest line, in bytes, that is read as a message.
	MaxLine = 64 << 20

	bufferSize = 64 << 10 // what a pipe holds
	keepSize   = 1 << 20  // a larger buffer is given back once its line has been read

	collectSize = 8 << 20 // a larger one is also collected then
	headSize    = 1 << 10 // of an oversize line
	tailSize    = 256     // of an oversize line
)

// oversize is what is left of a line above the limit.
type oversize struct {
	size       int
	head, tail []byte
}

// lineReader cuts a stream into lines. Its memory is that of the longest line it holds
// at the moment, and never more than twice max.
type lineReader struct {
	r   io.Reader
	max int

	buf        []byte
	start, end int // the unread part of buf
	scanned    int // up to here, buf[start:] holds no newline

	skipping *oversize // the line being read is too long
	err      error
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: r, max: max, buf: make([]byte, min(bufferSize, max+1))}
}

// next returns a line without its end if a whole one has been read, else false. An
// oversize line comes as over. The line is valid until the next call of fill.
func (l *lineReader) next() (line []byte, over *oversize, ok bool) {
	n := bytes.IndexByte(l.buf[l.scanned:l.end], '\n')
	if n < 0 {
		l.scanned = l.end
		return nil, nil, false
	}
	n += l.scanned
	line = l.buf[l.start:n]
	l.start, l.scanned = n+1, n+1
	if l.skipping != nil {
		over = l.skipping
		over.add(line)
		l.skipping = nil
		return nil, over, true
	}
	if len(line) > l.max {
		over = &oversize{}
		over.add(line)
		return nil, over, true
	}
	return bytes.TrimSuffix(line, []byte{'\r'}), nil, true
}

// fill waits for more input. After an error, rest has what was behind the last line.
func (l *lineReader) fill() error {
	if l.err != nil {
		return l.err
	}
	l.makeRoom()
	for range 100 {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if err != nil {
			l.err = err
		}
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	l.err = io.ErrNoProgress
	return l.err
}

func (l *lineReader) makeRoom() {
	held := l.end - l.start
	if l.skipping == nil && held > l.max {
		l.skipping = &oversize{}
	}
	switch {
	case l.skipping != nil:
		l.skipping.add(l.buf[l.start:l.end])
		l.start, l.end, l.scanned = 0, 0, 0
		l.shrink(nil)
	case len(l.buf) > keepSize && held <= bufferSize/2:
		l.shrink(l.buf[l.start:l.end])
	case len(l.buf)-l.end >= len(l.buf)/4 && held > 0:
		// Room enough.
	case held > len(l.buf)/2 && len(l.buf) < l.max+2:
		l.move(make([]byte, min(2*len(l.buf), l.max+2)))
	case l.start > 0:
		l.move(l.buf)
	}
}

// release gives a large buffer back before the next fill, where little is left in it. Lines of it are no longer valid.
func (l *lineReader) release() {
	if held := l.end - l.start; len(l.buf) > keepSize && held <= bufferSize/2 {
		l.shrink(l.buf[l.start:l.end])
		l.scanned = 0
	}
}

func (l *lineReader) shrink(held []byte) {
	if len(l.buf) > bufferSize {
		small := make([]byte, bufferSize)
		l.end = copy(small, held)
		l.replace(small)
		l.start, l.scanned = 0, l.end
	}
}

// replace takes another buffer. One that was large is collected and returned to the system at once: by itself, the
// collector lets memory grow to twice of what is in use, and what it frees stays resident.
func (l *lineReader) replace(buf []byte) {
	was := len(l.buf)
	l.buf = buf
	if was >= collectSize && len(buf) != was {
		debug.FreeOSMemory()
	}
}

func (l *lineReader) move(to []byte) {
	l.scanned -= l.start
	l.end = copy(to, l.buf[l.start:l.end])
	l.start = 0
	l.replace(to)
}

// rest returns what is behind the last newline once the stream has ended.
func (l *lineReader) rest() (line []byte, over *oversize) {
	line = l.buf[l.start:l.end]
	l.start = l.end
	if l.skipping != nil || len(line) > l.max {
		over = l.skipping
		if over == nil {
			over = &oversize{}
		}
		over.add(line)
		return nil, over
	}
	return line, nil
}

func (o *oversize) add(b []byte) {
	o.size += len(b)
	if n := headSize - len(o.head); n > 0 {
		o.head = append(o.head, b[:min(n, len(b))]...)
	}
	if len(b) >= tailSize {
		o.tail = append(o.tail[:0], b[len(b)-tailSize:]...)
		return
	}
	o.tail = append(o.tail, b...)
	if n := len(o.tail) - tailSize; n > 0 {
		o.tail = append(o.tail[:0], o.tail[n:]...)
	}
}

// ended reports whether err is an ordinary end of a stream.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, errClosedFile)
}
