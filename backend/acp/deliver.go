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

// read splits the agent's output into messages, decodes them and pushes them to their lanes, until the output ends.
func (c *wire) read() {
	defer c.closeQueues()
	reader := lines.New(c.r, c.opts.maxLine)
	timeout := laneTimeout
	var tapped *lane   // the lane whose tap got the current piece last
	var filled []*lane // lanes with items to push
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
		// Items of a long line are pushed after its buffer is released, so that both aren't held for long.
		if len(l.filling.items) >= batchItems || l.filling.bytes >= batchBytes && len(d.piece) < lines.CollectSize {
			c.push(l, &timeout)
			filled = slices.DeleteFunc(filled, func(f *lane) bool { return f == l })
		}
	}
	d = NewDecoder(func(in *Inbound) {
		l, withdrawn := c.admit(in)
		if !d.shown || l != tapped {
			c.tap(c.tapLane(l, in.SessionID), FromAgent, d.piece)
			tapped, d.shown = l, true
		}
		put(l, in)
		if withdrawn != nil {
			put(withdrawn.lane, &Inbound{Kind: KindWithdrawn, Request: withdrawn, SessionID: withdrawn.session})
		}
	})
	flush := func() {
		// Lanes with room go first, so that a full one doesn't delay them.
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
		d.piece = nil // don't keep a long line in memory until the next one arrives
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

// push moves the items that the reader has collected for a lane into its queue. If the lane has left, it refuses
// the requests and completes the calls among them.
func (c *wire) push(l *lane, timeout *time.Duration) {
	b := l.filling
	l.filling = batch{}
	if l.queue.push(b, timeout) {
		return
	}
	for i := range b.items {
		if r := b.items[i].Request; r != nil {
			c.out.awaitReader()
			_ = r.Error(CodeInternal, sessionGone)
		}
		if r := b.items[i].Response; r != nil {
			c.complete(r)
		}
	}
}

// closeQueues closes the queues of all lanes: no more input will arrive.
func (c *wire) closeQueues() {
	c.mu.Lock()
	c.readerEnded = true
	lanes := append([]*lane{c.routes.main}, c.routes.open...)
	c.mu.Unlock()
	for _, l := range lanes {
		l.queue.close()
	}
}

// deliver passes a lane's items to its handler until the queue is closed and empty.
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

// deliverFrom handles items[i:] and returns the index at which to continue. After a panic that is
// the item after the one that caused it.
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
			c.out.awaitReader()
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

// panicked completes the call or refuses the request in, over which the handler panicked, and then reports the panic
// to the handler.
func (c *wire) panicked(h Handler, in *Inbound, p any) {
	err := fmt.Errorf("handling %s: panic: %v\n%s", in.describe(), p, debug.Stack())
	if in.Response != nil {
		c.complete(in.Response)
	}
	if in.Request != nil {
		_ = in.Request.Error(CodeInternal, "Weft couldn't handle this request.")
	}
	defer func() { _ = recover() }() // a second panic is not reported
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
