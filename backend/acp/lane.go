package acp

import (
	"weft/backend/acp/rpc"
	"weft/backend/base/scan"
)

const (
	methodNew  = "session/new"
	methodFork = "session/fork"
	// sessionGone is the error message for requests in a session that Weft has left.
	sessionGone = "This session has ended."
)

// lane is the ordered stream of one handler's items through a connection.
type lane struct {
	handler Handler
	tap     func(dir string, line []byte)
	queue   *queue
	filling batch // items that the reader has yet to push; only the reader uses it

	// Guarded by wire.mu.
	asked   int  // unanswered requests
	prompts int  // turns in progress
	ended   bool // no response can arrive any more
	done    chan struct{}
}

// Lane adds a lane for one session. h receives, in order:
//
//   - responses to the calls that are made with the returned Conn;
//   - everything for a session that these calls made (session/new, session/fork) or opened
//     (session/load, session/resume);
//   - messages that name no session, if this is the only lane or the one with a turn in progress.
//
// A goroutine of the lane calls h until [Conn.Leave] or the end of the connection. tap gets the
// lane's lines, as [Options.Tap] gets the lines that belong to no lane; it may be nil.
//
// A slow handler delays the other lanes by at most one frame, until so many items wait for it that
// the reader stops and the agent has to wait.
func (c *Conn) Lane(h Handler, tap func(dir string, line []byte)) *Conn {
	l := &lane{handler: h, tap: tap, queue: c.flow.queue(), done: make(chan struct{})}
	c.mu.Lock()
	over := c.readerEnded
	several := c.routes.add(l)
	c.lanes.Add(1)
	c.mu.Unlock()
	c.flow.share(several)
	if over {
		l.queue.close()
	}
	go func() {
		defer c.lanes.Done()
		defer close(l.done)
		c.deliver(l)
		c.finish(l)
	}()
	return &Conn{wire: c.wire, lane: l}
}

// Leave ends the lane. Queued items are still delivered, then pending calls fail with [ErrClosed] and
// open requests are refused. Later messages for its sessions reach no lane. Leave blocks until the
// handler has returned for the last time, so the handler must not call it.
func (c *Conn) Leave() {
	l := c.lane
	c.mu.Lock()
	several := c.routes.remove(l)
	c.mu.Unlock()
	c.flow.share(several)
	l.queue.close()
	<-l.done
}

// Done returns a channel that is closed when the lane has ended and handled all its items.
func (c *Conn) Done() <-chan struct{} { return c.lane.done }

// route returns the lane that a message from the agent is for.
func (c *wire) route(in *Inbound) *lane {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.routes.open) == 0 || in.Kind == KindBroken {
		return c.routes.main
	}
	if in.SessionID != "" {
		if l := c.routes.of(in.SessionID); l != nil {
			return l
		}
	}
	// A question may refer to a call instead of a session (ACP Elicitation, request scope).
	if in.Request != nil {
		if k := c.calls.byID[rpc.NumberOf(scan.Member(in.Request.Params, "requestId"))]; k != nil {
			if k.lane == c.routes.main { // the agent is starting: ask the session that started it
				return c.routes.open[0]
			}
			return k.lane
		}
	}
	return c.routes.likely(in.SessionID)
}

// tapLane returns the lane whose tap gets a line for l. It is nil for a session whose lane has left.
func (c *wire) tapLane(l *lane, session string) *lane {
	if l != c.routes.main || session == "" {
		return l
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.routes.left[session] {
		return nil
	}
	return l
}

// createsSession reports whether a method creates a session, whose id is unknown until the response.
func createsSession(method string) bool { return method == methodNew || method == methodFork }

// claim assigns a session to the lane before it is opened. Error: [ErrSessionTaken] if another lane has it.
func (c *Conn) claim(id string) error {
	if c.lane == c.routes.main {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.routes.claim(id, c.lane) {
		return ErrSessionTaken
	}
	return nil
}

// unclaim undoes claim.
func (c *Conn) unclaim(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.routes.unclaim(id, c.lane)
}

// prompting adds by to the number of turns in progress in a lane.
func (c *wire) prompting(l *lane, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l.prompts += by
}
