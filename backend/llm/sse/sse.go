// Package sse reads streams of server-sent events, for the mappers: it tells a stream from a web page that a proxy
// answers with 200, and reads events as they come. Nothing is held back but an event that is not complete.
package sse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"weft/backend/llm"
)

const (
	maxStream = 256 << 20 // bytes of an answer
	maxEvent  = 64 << 20  // bytes of one event: a tool's whole input may be in it
	maxPage   = 16 << 10  // bytes that are read of what is no stream
	peeked    = 512
)

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
	// Name is what the last event is called, "" for most.
	Name string

	lines *bufio.Scanner
	size  int
}

// NewReader reads the events of a body.
func NewReader(body io.Reader) *Reader {
	s := bufio.NewScanner(body)
	s.Buffer(make([]byte, 0, 4<<10), maxEvent)
	return &Reader{lines: s}
}

// Next blocks until an event is complete and returns its data, which is valid until the next call. At the end of the
// body, an event that was not ended by an empty line counts as complete. Then it is io.EOF. The error is
// [llm.ErrTooLong] where an event, or the answer as a whole, is too long.
func (r *Reader) Next() ([]byte, error) {
	var data []byte
	some := false
	r.Name = ""
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if r.size += len(line); r.size > maxStream || len(data)+len(line) > maxEvent {
			return nil, llm.ErrTooLong
		}
		if len(line) == 0 {
			if len(data) > 0 {
				return data, nil
			}
			some, r.Name = false, ""
			continue
		}
		if name, isName := bytes.CutPrefix(line, []byte("event:")); isName {
			r.Name = string(bytes.TrimSpace(name))
		}
		value, isData := bytes.CutPrefix(line, []byte("data:"))
		if !isData {
			continue
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		if some {
			data = append(data, '\n')
		}
		data, some = append(data, value...), true
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, llm.ErrTooLong
	case err != nil:
		return nil, err
	case len(data) > 0:
		return data, nil
	}
	return nil, io.EOF
}

// Decode decodes the next event into v and also returns its data. It returns [llm.ErrEnded] if the body ends, or if the
// event is cut off.
func (r *Reader) Decode(v any) ([]byte, error) {
	data, err := r.Next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, llm.ErrEnded
	case err != nil:
		return nil, err
	}
	return data, Unmarshal(data, v)
}

// Unmarshal decodes one event of a stream. It returns [llm.ErrEnded] if the JSON is cut off.
func Unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if err != nil && err.Error() == "unexpected end of JSON input" {
		return llm.ErrEnded
	}
	return err
}
