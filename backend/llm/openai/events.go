package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"weft/backend/llm"
)

// maxAnswer bounds an answer on the wire, in bytes.
const maxAnswer = 256 << 20

// events reads the events of an answer, in the SDK's frames. A server that sends its answer as one JSON object, since it
// does not stream, is read as one event.
type events struct {
	end   llm.Endpoint
	res   *http.Response
	sse   ssestream.Decoder
	head  []byte // how the body begins, for an error
	whole []byte // the body, where it is one JSON object
	some  bool   // an event has come
	data  []byte
	// Done says that the server has told the end of the stream.
	done bool
	err  error
}

// newEvents looks at how an answer begins, and waits for that.
func newEvents(end llm.Endpoint, res *http.Response) (*events, error) {
	body := bufio.NewReader(&limited{res.Body, maxAnswer})
	e := &events{end: end, res: res}
	var first byte
	for {
		b, err := body.ReadByte()
		if err != nil {
			e.err = err // the end comes with the first event
			break
		}
		if b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			first = b
			_ = body.UnreadByte() // a byte was read
			break
		}
	}
	switch first {
	case 0:
		return e, nil
	case '<':
		defer res.Body.Close()
		head, _ := io.ReadAll(io.LimitReader(body, 4096)) // a part tells enough
		return nil, end.StatusError(res.StatusCode, http.Header{"Content-Type": {"text/html"}}, string(head), time.Time{}, nil)
	case '{':
		e.whole, e.err = io.ReadAll(body)
		return e, nil
	}
	e.head, _ = body.Peek(min(body.Buffered(), 200)) // what is there
	e.head = bytes.Clone(e.head)
	e.sse = ssestream.NewDecoder(&http.Response{Header: http.Header{}, Body: struct {
		io.Reader
		io.Closer
	}{body, res.Body}})
	return e, nil
}

// next goes to the next event. It returns false at the end of the stream, as the server tells it or as the
// connection does.
func (e *events) next() bool {
	if e.whole != nil {
		e.data, e.whole, e.some = e.whole, nil, true
		return e.err == nil
	}
	if e.sse == nil || !e.sse.Next() {
		return false
	}
	e.some = true
	e.data = bytes.TrimSpace(e.sse.Event().Data)
	if bytes.HasPrefix(e.data, []byte("[DONE]")) {
		e.done = true
		return false
	}
	return true
}

// isError reports whether the event is named an error, whatever it holds.
func (e *events) isError() bool { return e.sse != nil && e.sse.Event().Type == "error" }

// decode reads the event. A field of another type than expected is passed over.
func (e *events) decode(v any) error { return lenient(json.Unmarshal(e.data, v)) }

// failed is why the events ended, nil if the stream just ended.
func (e *events) failed() error {
	err := e.err
	if e.sse != nil {
		err = e.sse.Err()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !e.some && len(e.head) > 0 {
		var v any // the decoder's own words for what is no JSON
		if err := json.Unmarshal(e.head, &v); err != nil {
			return err
		}
	}
	return nil
}

func (e *events) close() { _ = e.res.Body.Close() } // nothing is written

// limited ends an answer that never ends.
type limited struct {
	r    io.Reader
	left int64
}

var errEndless = errors.New("the answer is longer than 256 MB")

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errEndless
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
