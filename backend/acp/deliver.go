package acp

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"weft/backend/acp/lines"
)

// read cuts and decodes the agent's output until it ends.
func (c *wire) read() {
	defer c.closeQueues()
	reader := lines.New(c.r, c.opts.maxLine)
	timeout := laneTimeout
	var tapped *lane   // who has seen the last piece
	var filled []*lane // lanes with something to push
	var d *Decoder
	put := func(l *lane, in *Inbound) {
		if l.filling.items == nil {
			l.filling = l.queue.fresh()
		}
		if len(l.filling.items) == 0 {
			filled = append(filled, l)
		}
		l.filling.items = append(l.filling.items, *in)
		l.filling.bytes += in.Size
		// What a long line holds is handed over once the line itself is given back.
		if len(l.filling.items) >= batchItems || l.filling.bytes >= batchBytes && len(d.piece) < lines.CollectSize {
			c.push(l, &timeout)
			filled = slices.DeleteFunc(filled, func(f *lane) bool { return f == l })
		}
	}
	d = NewDecoder(func(in *Inbound) {
		l, withdrawn := c.admit(in)
		if !d.shown || l != tapped {
			c.tap(c.viewer(l, in.SessionID), FromAgent, d.piece)
			tapped, d.shown = l, true
		}
		put(l, in)
		if withdrawn != nil {
			put(withdrawn.lane, &Inbound{Kind: KindWithdrawn, Request: withdrawn, SessionID: withdrawn.session})
		}
	})
	flush := func() {
		// Those that have room first.
		for _, wait := range []bool{false, true} {
			for _, l := range filled {
				if len(l.filling.items) > 0 && (wait || l.queue.hasRoom(l.filling)) {
					c.push(l, &timeout)
				}
			}
		}
		filled = filled[:0]
	}
	take := func(line []byte, over *lines.Oversize) {
		if over != nil {
			d.take(d.finder.Oversize(over))
		} else {
			d.Line(line)
		}
		if d.piece != nil && !d.shown && !d.finder.Holds() { // it was blank
			c.tap(c.routes.main, FromAgent, line)
		}
		d.piece = nil // a long line is not kept until the next one comes
	}
	for {
		for {
			line, over, ok := reader.Next()
			if !ok {
				break
			}
			take(line, over)
			if len(line) >= lines.CollectSize {
				reader.Release()
				flush()
			}
		}
		flush()
		timeout = laneTimeout
		if err := reader.Fill(); err != nil {
			line, over := reader.Rest()
			if over != nil {
				take(nil, over)
			}
			d.End(line)
			if !ended(err) {
				in := d.next(KindBroken)
				in.Err = fmt.Errorf("read the agent's output: %w", err)
				tapped, d.shown = c.routes.main, true
				d.emit(in)
			}
			flush()
			return
		}
	}
}

// ended reports whether err is an ordinary end of a stream.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, errClosedFile)
}

// push hands what the reader has for a lane over to it. What comes for a lane that is gone is refused.
func (c *wire) push(l *lane, timeout *time.Duration) {
	b := l.filling
	l.filling = batch{}
	if l.queue.push(b, timeout) {
		return
	}
	for i := range b.items {
		if r := b.items[i].Request; r != nil {
			c.out.admit()
			_ = r.Error(CodeInternal, sessionGone)
		}
		if r := b.items[i].Response; r != nil {
			c.complete(r)
		}
	}
}

// closeQueues says to all lanes that nothing more will come.
func (c *wire) closeQueues() {
	c.mu.Lock()
	c.readerEnded = true
	lanes := append([]*lane{c.routes.main}, c.routes.open...)
	c.mu.Unlock()
	for _, l := range lanes {
		l.queue.close()
	}
}

// deliver hands everything of a lane to its handler until its queue has ended.
func (c *wire) deliver(l *lane) {
	for {
		b, ok := l.queue.pop()
		if !ok {
			return
		}
		for i := 0; i < len(b.items); {
			i = c.deliverFrom(l, b.items, i)
		}
		l.queue.done(b)
	}
}

// deliverFrom handles items from i on and returns where to continue: after a panic, behind
// the item that caused it.
func (c *wire) deliverFrom(l *lane, items []Inbound, i int) (next int) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked(l.handler, &items[i], p)
			next = i + 1
		}
	}()
	for ; i < len(items); i++ {
		in := &items[i]
		if in.Request != nil {
			c.out.admit()
		}
		if in.Request != nil && in.Request.refuse != "" {
			_ = in.Request.Error(CodeInternal, in.Request.refuse)
		}
		if in.Kind == KindRequest && in.Method == methodUpdate {
			_ = in.Request.Result(nil)
			continue
		}
		l.handler.Handle(in, i+1 < len(items) || l.queue.more())
		if in.Response != nil {
			c.complete(in.Response)
		}
	}
	return i
}

// panicked tells the handler that it panicked over in, and answers in its place.
func (c *wire) panicked(h Handler, in *Inbound, p any) {
	err := fmt.Errorf("handling %s: panic: %v\n%s", in.describe(), p, debug.Stack())
	if in.Response != nil {
		c.complete(in.Response)
	}
	if in.Request != nil {
		_ = in.Request.Error(CodeInternal, "Weft couldn't handle this request.")
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
