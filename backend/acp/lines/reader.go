package lines

import (
	"bytes"
	"io"
	"runtime/debug"
)

const (
	// CollectSize is the size in bytes above which the memory of a released buffer is returned to the system at once.
	CollectSize = 8 << 20

	bufferSize = 64 << 10 // the capacity of a pipe
	keepSize   = 1 << 20  // a larger buffer is released after its line has been read

	headSize = 1 << 10 // of an oversize line
	tailSize = 256     // of an oversize line
)

// Oversize is an excerpt of a line above the limit.
type Oversize struct {
	Size int    // bytes of the whole line
	Head []byte // its first KiB
	Tail []byte // its last 256 bytes
}

// Reader splits a stream into lines. Its buffer grows with the line being read, to at
// most twice max.
type Reader struct {
	r   io.Reader
	max int

	buf        []byte
	start, end int // the unread part of buf
	scanned    int // up to here, buf[start:] holds no newline

	skipping *Oversize // the excerpt of the line being read, if that is too long
	err      error
}

// New returns a reader of the lines of r that are at most max bytes long.
func New(r io.Reader, max int) *Reader {
	return &Reader{r: r, max: max, buf: make([]byte, min(bufferSize, max+1))}
}

// Next returns the next complete line in the buffer, without its line end, or false if there
// is none. A line above the limit is returned as over. line is valid until the next call of Fill.
func (l *Reader) Next() (line []byte, over *Oversize, ok bool) {
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
		over.Add(line)
		l.skipping = nil
		return nil, over, true
	}
	if len(line) > l.max {
		over = &Oversize{}
		over.Add(line)
		return nil, over, true
	}
	return bytes.TrimSuffix(line, []byte{'\r'}), nil, true
}

// Fill blocks until there is more input. After an error, Rest returns the incomplete last line.
func (l *Reader) Fill() error {
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

func (l *Reader) makeRoom() {
	held := l.end - l.start
	if l.skipping == nil && held > l.max {
		l.skipping = &Oversize{}
	}
	switch {
	case l.skipping != nil:
		l.skipping.Add(l.buf[l.start:l.end])
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

// Release frees a large buffer if little unread text is left in it. Lines returned by Next become invalid.
func (l *Reader) Release() {
	if held := l.end - l.start; len(l.buf) > keepSize && held <= bufferSize/2 {
		l.shrink(l.buf[l.start:l.end])
		l.scanned = 0
	}
}

func (l *Reader) shrink(held []byte) {
	if len(l.buf) > bufferSize {
		small := make([]byte, bufferSize)
		l.end = copy(small, held)
		l.replace(small)
		l.start, l.scanned = 0, l.end
	}
}

// replace sets another buffer. It returns the memory of a large old one to the system at once: otherwise the
// collector lets the heap grow to twice its live size, and freed memory stays resident.
func (l *Reader) replace(buf []byte) {
	was := len(l.buf)
	l.buf = buf
	if was >= CollectSize && len(buf) != was {
		debug.FreeOSMemory()
	}
}

func (l *Reader) move(to []byte) {
	l.scanned -= l.start
	l.end = copy(to, l.buf[l.start:l.end])
	l.start = 0
	l.replace(to)
}

// Rest returns the text after the last newline. It is called after Fill has returned an error.
func (l *Reader) Rest() (line []byte, over *Oversize) {
	line = l.buf[l.start:l.end]
	l.start = l.end
	if l.skipping != nil || len(line) > l.max {
		over = l.skipping
		if over == nil {
			over = &Oversize{}
		}
		over.Add(line)
		return nil, over
	}
	return line, nil
}

// Add appends bytes to the line.
func (o *Oversize) Add(b []byte) {
	o.Size += len(b)
	if n := headSize - len(o.Head); n > 0 {
		o.Head = append(o.Head, b[:min(n, len(b))]...)
	}
	if len(b) >= tailSize {
		o.Tail = append(o.Tail[:0], b[len(b)-tailSize:]...)
		return
	}
	o.Tail = append(o.Tail, b...)
	if n := len(o.Tail) - tailSize; n > 0 {
		o.Tail = append(o.Tail[:0], o.Tail[n:]...)
	}
}
