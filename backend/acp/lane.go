package acp

import (
	"weft/backend/acp/rpc"
	"weft/backend/acp/scan"
)

const (
	methodNew  = "session/new"
	methodFork = "session/fork"
	// sessionGone is what the agent is told about sessions that nobody has any more.
	sessionGone = "This session has ended."
)

// lane is an ordered way of its own through a connection.
type lane struct {
	handler Handler
	tap     func(dir string, line []byte)
	queue   *queue
	filling batch // the reader's: what it has for this lane

	// Guarded by wire.mu.
	asked   int  // requests without an answer
	prompts int  // turns in progress
	ended   bool // calls can no longer be answered
	done    chan struct{}
}

// Lane adds a lane to the connection: an ordered way of its own, for one session. In it come, in their
// order, the answers to the calls that are made with the Conn it returns; whatever belongs to
// a session that it made (session/new, session/fork) or opened (session/load, session/resume); and what belongs
// to no session, if there is no other lane, or if it is the one that has a turn in progress. h handles
// all this on a goroutine of the lane's own, until [Conn.Leave] or the end of the connection.
// tap sees the lines of the lane as [Options.Tap] does those of none.
//
// A lane whose handler is slow holds the others up for no longer than a frame, until so much waits for
// it that the agent has to.
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

// Leave ends a lane: what is on its way is still delivered, then its calls fail with [ErrClosed] and its open
// requests are refused. Later messages of its sessions reach nobody. It waits until nothing
// is being handled any more.
func (c *Conn) Leave() {
	l := c.lane
	c.mu.Lock()
	several := c.routes.remove(l)
	c.mu.Unlock()
	c.flow.share(several)
	l.queue.close()
	<-l.done
}

// Left is closed when everything of the lane has been handled.
func (c *Conn) Left() <-chan struct{} { return c.lane.done }

// route returns the lane that a message of the agent is for.
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
	// A question may be about a call of ours instead (ACP Elicitation, request scope).
	if in.Request != nil {
		if k := c.calls.byID[rpc.NumberOf(scan.Member(in.Request.Params, "requestId"))]; k != nil {
			if k.lane == c.routes.main { // while the agent starts: whoever has started it is asked
				return c.routes.open[0]
			}
			return k.lane
		}
	}
	return c.routes.likely(in.SessionID)
}

// viewer returns who sees a line that goes to l: those of sessions that have ended nobody does.
func (c *wire) viewer(l *lane, session string) *lane {
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

// makes reports whether a method makes a session whose id is not known before its answer.
func makes(method string) bool { return method == methodNew || method == methodFork }

// claim gives a session that is about to be opened to the lane.
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

// disclaim takes back what claim gave.
func (c *Conn) disclaim(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.routes.disclaim(id, c.lane)
}

// prompting counts the turns of a lane.
func (c *wire) prompting(l *lane, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l.prompts += by
}
