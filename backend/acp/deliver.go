package acp

import (
	"fmt"
	"runtime/debug"
)

// read cuts and decodes the agent's output until it ends.
func (c *Conn) read() {
	defer c.queue.close()
	lines := newLineReader(c.r, c.opts.maxLine)
	b := c.queue.push(batch{})
	d := NewDecoder(func(in *Inbound) {
		c.admit(in)
		b.items = append(b.items, *in)
		b.bytes += in.Size
		if len(b.items) >= batchItems || b.bytes >= batchBytes {
			b = c.queue.push(b)
		}
	})
	take := func(line []byte, over *oversize) {
		if over != nil {
			c.tap(FromAgent, over.head)
			d.oversize(over)
			return
		}
		c.tap(FromAgent, line)
		d.Line(line)
	}
	for {
		for {
			line, over, ok := lines.next()
			if !ok {
				break
			}
			take(line, over)
		}
		if len(b.items) > 0 {
			b = c.queue.push(b)
		}
		if err := lines.fill(); err != nil {
			if line, over := lines.rest(); over != nil || len(line) > 0 {
				take(line, over)
			}
			if !ended(err) {
				in := d.next(KindBroken)
				in.Err = fmt.Errorf("read the agent's output: %w", err)
				b.items = append(b.items, *in)
			}
			c.queue.push(b)
			return
		}
	}
}

// deliver hands everything to h until the queue has ended.
func (c *Conn) deliver(h Handler) {
	for {
		b, ok := c.queue.pop()
		if !ok {
			return
		}
		for i := 0; i < len(b.items); {
			i = c.deliverFrom(h, b.items, i)
		}
		c.queue.done(b)
	}
}

// deliverFrom handles items from i on and returns where to go on: after a panic, behind
// the item that caused it.
func (c *Conn) deliverFrom(h Handler, items []Inbound, i int) (next int) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked(h, &items[i], p)
			next = i + 1
		}
	}()
	for ; i < len(items); i++ {
		in := &items[i]
		if in.Request != nil && in.Request.refuse != "" {
			_ = in.Request.Error(CodeInternal, in.Request.refuse)
		}
		if in.Kind == KindRequest && in.Method == methodUpdate {
			_ = in.Request.Result(nil)
			continue
		}
		h.Handle(in, i+1 < len(items) || c.queue.more())
		if in.Response != nil {
			c.complete(in.Response)
		}
	}
	return i
}

// panicked tells the handler that it panicked over in, and answers in its place.
func (c *Conn) panicked(h Handler, in *Inbound, p any) {
	err := fmt.Errorf("handling %s: panic: %v\n%s", in.describe(), p, debug.Stack())
	if in.Response != nil {
		c.complete(in.Response)
	}
	if in.Request != nil {
		_ = in.Request.Error(CodeInternal, "Weft could not handle this request.")
	}
	defer func() { _ = recover() }() // the second time is not told
	h.Handle(&Inbound{Kind: KindPanic, SessionID: in.SessionID, Method: in.Method, Err: err}, false)
}

func (in *Inbound) describe() string {
	switch {
	case in.Kind == KindUpdate:
		return methodUpdate
	case in.Method != "":
		return in.Method
	case in.Response != nil:
		return "the answer to " + in.Response.Method
	}
	return "the agent's output"
}
