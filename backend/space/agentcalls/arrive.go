package agentcalls

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/space/gatedrafts"
)

// Arrival is a call that has arrived at the gateway.
type Arrival[M gatedrafts.Message] = gatedrafts.Arrival[M]

// Reached notes that the agent used the gateway with the session's token. tool is the tool it called, or "".
func (c *Calls[M]) Reached(tool string) {
	c.trust.Reached(tool)
	if c.session.Servers.ReachedGateway() {
		c.session.Host.OfferChanged()
	}
}

// Expects reports whether the agent has shown a call of one of Weft's tools that hasn't reached the gateway yet.
func (c *Calls[M]) Expects(tool string) bool {
	for g := range c.Drafts.All {
		if g.Tool.Name == tool && !g.Taken && !g.Over {
			return true
		}
	}
	return false
}

// Pass records a call that arrived at the gateway and is neither shown nor asked about: it is silent, only reads
// spaces, or was refused. Without it, a later call of the tool could be taken for this one.
func (c *Calls[M]) Pass(tool string, sent jsontext.Value) {
	if a := c.Drafts.Pass(tool, sent); a.Call != nil {
		c.showArrived(a)
		c.Drafts.Undraw(a.Call)
		c.session.Step.Flush()
	}
}

// Arrive records a call that arrives at the gateway. If known isn't nil, the agent's line for the call isn't known
// yet; known is closed once it is. The caller waits for it until a.Until, without the lock. [Calls.Continue] must
// follow in any case.
func (c *Calls[M]) Arrive(tool string, sent jsontext.Value, now time.Time) (a *Arrival[M], known <-chan struct{}) {
	a = c.Drafts.Arrive(tool, sent, now)
	if !a.Settled {
		settled := make(chan struct{})
		c.waiting[a] = settled
		known = settled
	}
	return a, known
}

// Waited is how the wait for the line of a call ended.
type Waited int

// The results of a wait.
const (
	// Known: the line is known, or the agent no longer waits.
	Known Waited = iota
	// TimeUp: the line wasn't known in time.
	TimeUp
	// Gone: the session has ended.
	Gone
)

// Continue processes a call after the wait that began with [Calls.Arrive], with or without its line.
func (c *Calls[M]) Continue(a *Arrival[M], how Waited) {
	delete(c.waiting, a)
	switch how {
	case Gone:
	case TimeUp:
		c.Drafts.Tick(a.Until)
		c.wake()
	case Known:
		c.Drafts.Cancel(a)
	}
	c.noteWhole(a)
	c.showArrived(a)
}

// longMessage is the length in bytes from which readers notice that a message arrives in one piece.
const longMessage = 100

// noteWhole records that the agent sent a message in one piece although Weft could have streamed it.
func (c *Calls[M]) noteWhole(a *Arrival[M]) {
	s := &c.session
	if a.Tool != gatedrafts.SendMessage || a.Call != nil && a.Call.Streamed() || s.Agent.Own() || s.Agent.Source == "" || s.Agent.ModelProxy != nil || s.Host.ReadsAlong() {
		return
	}
	var in struct{ Text string }
	if json.Unmarshal(a.Sent, &in, json.MatchCaseInsensitiveNames(true)) == nil && len(in.Text) >= longMessage {
		s.Notes.SentWhole(s.Agent.ID, s.Place.SpaceID)
	}
}

// showArrived shows in the call's line that it has arrived.
func (c *Calls[M]) showArrived(a *Arrival[M]) {
	if a.Patch != nil {
		c.session.Space.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: a.Patch})
	}
}

// wake ends the wait of calls at the gateway that are settled.
func (c *Calls[M]) wake() {
	for a, known := range c.waiting {
		if a.Settled {
			delete(c.waiting, a)
			close(known)
		}
	}
}
