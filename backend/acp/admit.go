package acp

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// maxAsked is how many requests of the agent may be without an answer.
const maxAsked = 1024

// admit gives a thing its place in the connection, on the reader's goroutine.
func (c *Conn) admit(in *Inbound) {
	switch in.Kind {
	case KindRequest:
		if !c.admitRequest(in.Request) {
			in.Kind, in.Text = KindBroken, string(in.Request.Params)
			in.Err = fmt.Errorf("%s: %s", in.Method, in.Request.refuse)
		}
	case KindOversize:
		if in.Request != nil {
			c.admitRequest(in.Request)
			in.Request.refuse = "The request is too long to be read."
		}
	case KindNotification:
		if in.Method == "$/cancel_request" {
			c.withdraw(in)
		}
	default:
	}
	if in.Response != nil {
		c.match(in)
	}
}

func (c *Conn) admitRequest(r *Request) bool {
	r.conn = c
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) >= maxAsked {
		r.refuse = "Too many requests are waiting for an answer."
		return false
	}
	c.asked[string(r.ID)] = r
	return true
}

func (c *Conn) withdraw(in *Inbound) {
	id := member(in.Params, "requestId")
	c.mu.Lock()
	r := c.asked[string(id)]
	c.mu.Unlock()
	if r != nil {
		in.Kind, in.Request, in.SessionID = KindWithdrawn, r, r.session
		r.cancel(ErrWithdrawn)
	}
}

// match finds the call that a response answers.
func (c *Conn) match(in *Inbound) {
	r := in.Response
	id := trimQuotes(r.ID)
	c.mu.Lock()
	k := c.calls[id]
	if k != nil && k.answered {
		k = nil
	}
	if k == nil {
		r.Late = true
		c.mu.Unlock()
		return
	}
	k.answered = true
	r.Late = k.lost
	c.mu.Unlock()
	r.Method, r.SessionID, in.SessionID = k.method, k.session, k.session
	var e *RPCError
	if errors.As(r.Err, &e) {
		e.Method = k.method
	}
}

// complete ends the call that r answers. Everything before r was handled.
func (c *Conn) complete(r *Response) {
	id := trimQuotes(r.ID)
	c.mu.Lock()
	k := c.calls[id]
	if k == nil || !k.answered {
		c.mu.Unlock()
		return
	}
	delete(c.calls, id)
	if k.lost {
		c.lost--
	}
	c.mu.Unlock()
	result := r.Result
	if result == nil {
		result = jsontext.Value("null")
	}
	k.complete(result, r.Err)
}

func trimQuotes(id string) string {
	if n := len(id); n > 2 && id[0] == '"' {
		return id[1 : n-1]
	}
	return id
}
