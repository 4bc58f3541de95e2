// Package sse reads streams of server-sent events, for the mappers: it tells a stream from a web page that a proxy
// answers with 200, and reads events as they come. Nothing is held back but an event that is not complete.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"weft/backend/llm"
)

// MaxStream is how many bytes of events an answer may have in all.
const MaxStream = 256 << 20

const (
	maxEvent = 64 << 20 // bytes of one event: a tool's whole input may be in it
	maxPage  = 16 << 10 // bytes that are read of what is no stream
	peeked   = 512
)

// ErrTooLong is why a stream was given up: an event was longer than 64 MB, or all of them than [MaxStream].
var ErrTooLong = errors.New("the answer is too long to store")

// Check makes sure that an answer with status 200 is a stream of events. If it is not, the body is closed and the error
// says what came instead. Servers that stream under another content type are told by how their body begins, for
// which Check blocks until something comes.
func Check(res *http.Response, e llm.Endpoint, now time.Time) error {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // none is as good as a wrong one
	if kind == "text/event-stream" {
		return nil
	}
	body := bufio.NewReaderSize(res.Body, peeked)
	head, err := body.Peek(6)
	if isEvent(head) {
		res.Body = readCloser{body, res.Body}
		return nil
	}
	defer res.Body.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return e.NetworkError(res.Request.Context(), err)
	}
	page, _ := io.ReadAll(io.LimitReader(body, maxPage)) // as much as comes is enough for a sentence
	return NotStream(res, page, e, now)
}

// NotStream is the error of an answer with status 200 that is something else than a stream.
func NotStream(res *http.Response, body []byte, e llm.Endpoint, now time.Time) error {
	if f := e.StatusError(res.StatusCode, res.Header, string(body), now, nil); f.Code == llm.CodeUnreachable {
		return f
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return e.Broken()
	}
	said := e.StatusError(http.StatusBadRequest, nil, string(body), now, nil)
	f := llm.Fail(llm.CodeUnreachable, "{{provider}} didn't answer with a stream. Check the base URL, and any proxy in between. {{answer}}", e.Provider, said.Said).Because(said)
	f.Status = res.StatusCode
	return f
}

func isEvent(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), "\r\n")
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(head, []byte(field)) {
			return true
		}
	}
	return false
}

type readCloser struct {
	io.Reader
	io.Closer
}

// Reader reads events.
type Reader struct {
	lines *bufio.Scanner
	size  int
}

// NewReader reads the events of a body.
func NewReader(body io.Reader) *Reader {
	s := bufio.NewScanner(body)
	s.Buffer(make([]byte, 0, 4<<10), maxEvent)
	return &Reader{lines: s}
}

// Next blocks until an event is complete and returns its data, which is valid until the next call. At the end of the body, an
// event that was not ended by an empty line counts as complete. Then it is io.EOF.
func (r *Reader) Next() ([]byte, error) {
	var data []byte
	some := false
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if len(line) == 0 {
			if some {
				return data, nil
			}
			continue
		}
		value, isData := bytes.CutPrefix(line, []byte("data:"))
		if !isData {
			continue
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		if some {
			data = append(data, '\n')
		}
		if r.size += len(value); r.size > MaxStream || len(data)+len(value) > maxEvent {
			return nil, ErrTooLong
		}
		data, some = append(data, value...), true
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, ErrTooLong
	case err != nil:
		return nil, err
	case some:
		return data, nil
	}
	return nil, io.EOF
}
