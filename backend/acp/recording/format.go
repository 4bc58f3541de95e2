package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The directions of an entry.
const (
	FromAgent = "agent->client"
	ToAgent   = "client->agent"
	// Stderr is the agent's error output. Protocol logs contain it, and [Reader] skips it.
	Stderr = "stderr"
)

const (
	// MaxLine is the maximum length of a line that is read, in bytes. A message of
	// 64 MiB fits.
	MaxLine = 64<<20 + 4<<10

	headSize = 1 << 10 // recorded bytes of a message that is too long
)

var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Entry is one line of a recording.
type Entry struct {
	Line int    // 1-based, in the file
	T    int64  // µs since the agent was started
	Dir  string // FromAgent or ToAgent
	Msg  jsontext.Value
	Raw  string // if Msg is nil
}

// LineError is the error of an invalid line of a recording.
type LineError struct {
	Line int // 1-based
	Err  error
}

// Error returns the message with the line number.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// Reader reads a recording.
type Reader struct {
	r    *bufio.Reader
	line int
	buf  []byte
}

// NewReader returns a reader of the recording r.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 64<<10)} }

// Next returns the next entry, or io.EOF at the end. It skips blank lines and stderr. An
// invalid line, such as a truncated last one, is a [*LineError]; reading can continue after it.
func (r *Reader) Next() (Entry, error) {
	for {
		line, err := r.next()
		if err != nil {
			return Entry{}, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if e, err := r.parse(line); err != nil || e.Dir != Stderr {
			return e, err
		}
	}
}

var errTooLong = fmt.Errorf("longer than %d bytes", MaxLine)

func (r *Reader) next() ([]byte, error) {
	if cap(r.buf) > 1<<20 {
		r.buf = nil
	}
	r.buf = r.buf[:0]
	r.line++
	long := false
	for {
		part, err := r.r.ReadSlice('\n')
		if !long && len(r.buf)+len(part) > MaxLine {
			long, r.buf = true, nil
		}
		if !long {
			r.buf = append(r.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, &LineError{r.line, errTooLong}
		case err != nil && len(r.buf) == 0:
			return nil, err
		}
		return r.buf, nil
	}
}

func (r *Reader) parse(line []byte) (Entry, error) {
	var e struct {
		T   float64        `json:"t"`
		Dir string         `json:"dir"`
		Msg jsontext.Value `json:"msg"`
		Raw *string        `json:"raw"`
	}
	if err := json.Unmarshal(line, &e, lenient); err != nil {
		return Entry{}, &LineError{r.line, fmt.Errorf("not a line of a recording: %w", err)}
	}
	if e.Dir != FromAgent && e.Dir != ToAgent && e.Dir != Stderr {
		return Entry{}, &LineError{r.line, fmt.Errorf("the direction is %q, not %q or %q", e.Dir, FromAgent, ToAgent)}
	}
	entry := Entry{Line: r.line, T: int64(e.T), Dir: e.Dir}
	switch {
	case e.Msg != nil:
		entry.Msg = e.Msg.Clone()
	case e.Raw != nil:
		entry.Raw = *e.Raw
	default:
		return Entry{}, &LineError{r.line, errors.New("neither msg nor raw")}
	}
	return entry, nil
}

// Writer writes a recording, without buffering. It is safe for concurrent use.
type Writer struct {
	// Now returns the time; time.Now if nil.
	Now func() time.Time

	mu    sync.Mutex
	w     io.Writer
	start time.Time
	buf   []byte
	err   error
}

// NewWriter returns a writer to w. Times count from the last call of [Writer.Start], or
// else from the first call of [Writer.Write].
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Start makes times count from now.
func (w *Writer) Start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.start = w.now()
}

func (w *Writer) now() time.Time {
	if w.Now != nil {
		return w.Now()
	}
	return time.Now()
}

// Write adds a line, which must not include the line break. After an error it writes
// nothing more and keeps returning that error.
func (w *Writer) Write(dir string, line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	now := w.now()
	if w.start.IsZero() {
		w.start = now
	}
	w.buf = fmt.Appendf(w.buf[:0], `{"t":%d,"dir":"%s",`, now.Sub(w.start).Microseconds(), dir)
	if msg := bytes.TrimSpace(line); utf8.Valid(msg) && jsontext.Value(msg).IsValid(lenient) {
		w.buf = append(append(w.buf, `"msg":`...), msg...)
	} else {
		w.buf = append(w.buf, `"raw":`...)
		w.buf, _ = jsontext.AppendQuote(w.buf, bytes.TrimSuffix(line, []byte{'\r'}))
	}
	w.buf = append(w.buf, '}', '\n')
	_, w.err = w.w.Write(w.buf)
	if cap(w.buf) > 1<<20 {
		w.buf = nil
	}
	return w.err
}

// splitter splits a forwarded stream into lines of a recording.
type splitter struct {
	w    *Writer
	dir  string
	buf  []byte
	size int // of the line so far; if it is too long, buf has only its head
}

func (s *splitter) feed(b []byte) {
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n')
		if n < 0 {
			s.add(b)
			return
		}
		s.add(b[:n])
		s.end()
		b = b[n+1:]
	}
}

func (s *splitter) add(b []byte) {
	s.size += len(b)
	if s.size <= 64<<20 {
		s.buf = append(s.buf, b...)
	} else if len(s.buf) > headSize {
		s.buf = bytes.Clone(s.buf[:headSize])
	}
}

func (s *splitter) end() {
	if s.size > 64<<20 {
		s.buf = fmt.Appendf(s.buf, "… (a line of %d bytes)", s.size)
	}
	_ = s.w.Write(s.dir, s.buf)
	s.size = 0
	if s.buf = s.buf[:0]; cap(s.buf) > 1<<20 {
		s.buf = nil
	}
}

// close writes the unterminated line at the end of the stream, if any.
func (s *splitter) close() {
	if s.size > 0 {
		s.end()
	}
}
