package acp

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/rpc"
)

// Request is a request of the agent. It is answered once, at any time and from any
// goroutine, with [Request.Result] or [Request.Error].
type Request struct {
	ID     jsontext.Value // as sent; a string or a number
	Method string
	Params jsontext.Value // as sent, nil if absent

	conn    *wire
	lane    *lane
	ctx     context.Context
	cancel  context.CancelCauseFunc
	session string
	done    bool   // answered; guarded by Conn.mu
	twice   bool   // the agent has used its id for another one, while this had no answer; guarded by Conn.mu
	refuse  string // why nobody will be asked, if so
}

// Context ends when the request was answered (cause [ErrAnswered]), the agent withdrew
// it ([ErrWithdrawn]) or the connection ended ([ErrClosed]). A withdrawn request still
// wants an answer: [Request.Cancelled], or the outcome that the method has for this.
func (r *Request) Context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// Result answers with v, encoded as JSON. Nil means {}. It does not wait for the agent to
// read the answer. It fails with [ErrAnswered], with [ErrClosed] if there is no
// connection any more, or if v cannot be encoded; the request is then still open.
func (r *Request) Result(v any) error {
	raw, err := encode(v)
	if err != nil {
		return fmt.Errorf("encode the answer to %s: %w", r.Method, err)
	}
	return r.answer("result", raw)
}

// Error answers with an error. See [Request.Result] for what it returns.
func (r *Request) Error(code int, message string) error {
	return r.ErrorData(code, message, nil)
}

// ErrorData is [Request.Error] with data that the method defines; nil means none.
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

// NotFound answers that there is no such method (-32601).
func (r *Request) NotFound() error {
	return r.ErrorData(CodeMethodNotFound, "Method not found", map[string]string{"method": r.Method})
}

// Cancelled answers that the request is over without a result (-32800).
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

// answered takes r from the open requests; false if it had its answer before.
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

// usedTwice is why a request is refused, and what is open by its id: the agent might take the answer to one for that to the other.
const usedTwice = "Two requests have this id, and neither had an answer."

// maxAsked is how many requests of the agent may be without an answer, in each lane.
const maxAsked = 1024

// requests are those of the agent that have no answer yet, by their ids (see [rpc.ID]). They are guarded by wire.mu, as are the numbers of them that lanes have.
type requests map[string]*Request

// add adds a request of a lane. It is not ok, and the request is refused, if there are too many, or one with its id is open: that is withdrawn then.
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

// remove removes a request that is answered; one that was refused isn't there.
func (q requests) remove(r *Request) {
	if q[rpc.ID(r.ID)] == r {
		delete(q, rpc.ID(r.ID))
		r.lane.asked--
	}
}

// takeOf removes and returns the requests of a lane.
func (q requests) takeOf(l *lane) (list []*Request) {
	for id, r := range q {
		if r.lane == l {
			delete(q, id)
			list = append(list, r)
		}
	}
	l.asked = 0
	return list
}
