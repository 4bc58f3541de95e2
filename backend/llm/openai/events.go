package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"weft/backend/llm"
	"weft/backend/llm/sse"
)

// maxAnswer bounds an answer that is one JSON object, in bytes.
const maxAnswer = 256 << 20

// events reads the events of an answer. A server that sends its answer as one JSON object, since it
// does not stream, is read as one event.
type events struct {
	end   llm.Endpoint
	res   *http.Response
	sse   *sse.Reader
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
	body := bufio.NewReader(res.Body)
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
		e.whole, e.err = io.ReadAll(llm.Bounded(body, maxAnswer))
		return e, nil
	}
	e.head, _ = body.Peek(min(body.Buffered(), 200)) // what is there
	e.head = bytes.Clone(e.head)
	e.sse = sse.NewReader(body)
	return e, nil
}

// next goes to the next event. It returns false at the end of the stream, as the server tells it or as the
// connection does.
func (e *events) next() bool {
	if e.whole != nil {
		e.data, e.whole, e.some = e.whole, nil, true
		return e.err == nil
	}
	if e.sse == nil {
		return false
	}
	if e.data, e.err = e.sse.Next(); e.err != nil {
		return false
	}
	e.some = true
	e.data = bytes.TrimSpace(e.data)
	if bytes.HasPrefix(e.data, []byte("[DONE]")) {
		e.done = true
		return false
	}
	return true
}

// isError reports whether the event is named an error, whatever it holds.
func (e *events) isError() bool { return e.sse != nil && e.sse.Name == "error" }

// decode reads the event. A field of another type than expected is passed over.
func (e *events) decode(v any) error { return lenient(sse.Unmarshal(e.data, v)) }

// failed is why the events ended, nil if the stream just ended.
func (e *events) failed() error {
	if e.err != nil && !errors.Is(e.err, io.EOF) {
		return e.err
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
