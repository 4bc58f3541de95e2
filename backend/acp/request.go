package acp

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/rpc"
)

// Request is a request from the agent. It must be answered once, with [Request.Result] or
// [Request.Error], at any time and from any goroutine.
type Request struct {
	ID     jsontext.Value // raw; a string or a number
	Method string
	Params jsontext.Value // raw; nil if absent

	conn    *wire
	lane    *lane
	ctx     context.Context
	cancel  context.CancelCauseFunc
	session string
	done    bool   // answered; guarded by Conn.mu
	twice   bool   // the agent used its id again while it was open; guarded by Conn.mu
	refuse  string // why Weft refuses it; "" if it doesn't
}

// Context returns a context that ends when the request is answered (cause [ErrAnswered]), the
// agent withdraws it ([ErrWithdrawn]) or the connection ends ([ErrClosed]). A withdrawn
// request must still be answered: with [Request.Cancelled] or the method's own outcome for this.
func (r *Request) Context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// Result answers with v, encoded as JSON; nil is sent as {}. It doesn't wait for the agent to
// read the answer. It fails with [ErrAnswered], with [ErrClosed] if the connection has ended,
// or if v can't be encoded; in the last case the request stays open.
func (r *Request) Result(v any) error {
	raw, err := encode(v)
	if err != nil {
		return fmt.Errorf("encode the answer to %s: %w", r.Method, err)
	}
	return r.answer("result", raw)
}

// Error answers with an error. It returns the same errors as [Request.Result].
func (r *Request) Error(code int, message string) error {
	return r.ErrorData(code, message, nil)
}

// ErrorData is [Request.Error] with error data; nil means none.
func (r *Request) ErrorData(code int, message string, data any) error {
	body := fmt.Appendf(nil, `{"code":%d,"message":`, code)
	body, err := jsontext.AppendQuote(body, message)
	if err != nil {
		body = append(body[:0], fmt.Sprintf(`{"code":%d,"message":"error"`, code)...)
	}
	if data != nil {
		raw, err := encode(data)
		if err != nil {
			return fmt.Errorf("encode the error of %s: %w", r.Method, err)
		}
		body = append(append(body, `,"data":`...), raw...)
	}
	return r.answer("error", append(body, '}'))
}

// NotFound answers that the method doesn't exist (-32601).
func (r *Request) NotFound() error {
	return r.ErrorData(CodeMethodNotFound, "Method not found", map[string]string{"method": r.Method})
}

// Cancelled answers that the request was cancelled (-32800).
func (r *Request) Cancelled() error { return r.Error(CodeCancelled, "Request cancelled") }

func (r *Request) answer(member string, value []byte) error {
	if r.conn == nil {
		return ErrClosed
	}
	if !r.conn.answered(r) {
		return ErrAnswered
	}
	if r.twice && member == "result" {
		member, value = "error", fmt.Appendf(nil, `{"code":%d,"message":%q}`, CodeInternal, usedTwice)
	}
	line := make([]byte, 0, len(value)+len(r.ID)+40)
	line = append(line, `{"jsonrpc":"2.0","id":`...)
	line = append(line, r.ID...)
	line = append(line, `,"`...)
	line = append(line, member...)
	line = append(line, `":`...)
	line = append(append(line, value...), '}')
	return r.conn.out.send(context.Background(), message{line: line, lane: r.lane, answer: true})
}

// answered marks r as answered. It returns false if r was answered before.
func (c *wire) answered(r *Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.done {
		return false
	}
	r.done = true
	c.asked.remove(r)
	r.cancel(ErrAnswered)
	return true
}

// usedTwice refuses both of two requests with one id: the agent couldn't tell their answers apart.
const usedTwice = "Two requests have this id, and neither had an answer."

// maxAsked is the maximum number of unanswered requests in a lane.
const maxAsked = 1024

// requests are the agent's unanswered requests by id (see [rpc.ID]). wire.mu guards them and lane.asked, their number
// in a lane.
type requests map[string]*Request

// add adds a request. It refuses the request and returns false if the lane has too many, or if one with the same id is
// open, which it then withdraws and returns.
func (q requests) add(r *Request) (ok bool, withdrawn *Request) {
	if old := q[rpc.ID(r.ID)]; old != nil {
		r.refuse = usedTwice
		if old.twice {
			return false, nil
		}
		old.twice = true
		old.cancel(ErrWithdrawn)
		return false, old
	}
	if r.lane.asked >= maxAsked {
		r.refuse = "Too many requests are waiting for an answer."
		return false, nil
	}
	r.lane.asked++
	q[rpc.ID(r.ID)] = r
	return true, nil
}

// remove removes an answered request. A refused request is not in the table.
func (q requests) remove(r *Request) {
	if q[rpc.ID(r.ID)] == r {
		delete(q, rpc.ID(r.ID))
		r.lane.asked--
	}
}

// removeOf removes and returns the requests of a lane.
func (q requests) removeOf(l *lane) (list []*Request) {
	for id, r := range q {
		if r.lane == l {
			delete(q, id)
			list = append(list, r)
		}
	}
	l.asked = 0
	return list
}
