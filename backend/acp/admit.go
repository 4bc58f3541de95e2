package acp

import (
	"context"
	"errors"
	"fmt"

	"weft/backend/acp/rpc"
	"weft/backend/base/scan"

	"github.com/go-json-experiment/json/jsontext"
)

// admit registers an item with the connection: it adds a request to the open ones, or matches a
// response with its call. It returns the item's lane, and the request that the item withdraws
// or nil. It runs in the reader's goroutine.
func (c *wire) admit(in *Inbound) (l *lane, withdrawn *Request) {
	l = c.route(in)
	switch in.Kind {
	case KindRequest:
		var ok bool
		if ok, withdrawn = c.admitRequest(l, in.Request); !ok {
			in.Kind, in.Text = KindBroken, string(in.Request.Params)
			in.Err = fmt.Errorf("%s: %s", in.Method, in.Request.refuse)
		}
	case KindOversize:
		if in.Request != nil {
			_, withdrawn = c.admitRequest(l, in.Request)
			in.Request.refuse = "The request is too long to be read."
		}
	case KindBroken:
		if in.Request != nil {
			_, withdrawn = c.admitRequest(l, in.Request)
			in.Request.refuse = "The request can't be read: it is broken."
		}
	case KindNotification:
		if in.Method == "$/cancel_request" {
			if r := c.withdraw(in); r != nil {
				l = r.lane
			}
		}
	default:
	}
	if in.Response != nil {
		if k := c.match(in); k != nil {
			l = k.lane
		} else if in.Kind == KindBroken {
			in.Response = nil
		}
	}
	return l, withdrawn
}

func (c *wire) admitRequest(l *lane, r *Request) (ok bool, withdrawn *Request) {
	r.conn, r.lane = c, l
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked.add(r)
}

func (c *wire) withdraw(in *Inbound) *Request {
	id := rpc.ID(scan.Member(in.Params, "requestId"))
	c.mu.Lock()
	r := c.asked[id]
	c.mu.Unlock()
	if r != nil {
		in.Kind, in.Request, in.SessionID = KindWithdrawn, r, r.session
		r.cancel(ErrWithdrawn)
	}
	return r
}

// match returns the call that a response answers, or nil.
func (c *wire) match(in *Inbound) *call {
	r := in.Response
	id := rpc.NumberOf([]byte(r.ID))
	c.mu.Lock()
	k := c.calls.byID[id]
	if k != nil && k.answered {
		k = nil
	}
	if k == nil {
		r.Late = true
		c.mu.Unlock()
		return nil
	}
	k.answered = true
	if createsSession(k.method) {
		c.routes.opened(k, r)
	}
	r.Late = k.lost
	c.mu.Unlock()
	r.Method, r.SessionID, in.SessionID = k.method, k.session, k.session
	var e *RPCError
	if errors.As(r.Err, &e) {
		e.Method, e.Offers = k.method, c.offers.Load()
	}
	return k
}

// complete ends the call that r answers. The handler has handled everything before r.
func (c *wire) complete(r *Response) {
	id := rpc.NumberOf([]byte(r.ID))
	c.mu.Lock()
	k := c.calls.byID[id]
	if k == nil || !k.answered {
		c.mu.Unlock()
		return
	}
	c.calls.remove(k)
	c.mu.Unlock()
	result := r.Result
	if result == nil {
		result = jsontext.Value("null")
	}
	k.complete(result, r.Err)
}
