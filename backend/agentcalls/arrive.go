package agentcalls

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/gatedrafts"
	"weft/backend/transcript"
)

// Arrival is a call that has arrived at the gateway.
type Arrival[M gatedrafts.Message] = gatedrafts.Arrival[M]

// Reached notes that the agent has reached the gateway with the token of the session, with a call of a tool unless that is "".
func (c *Calls[M]) Reached(tool string) {
	c.trust.Reached(tool)
	if c.session.Servers.ReachedGateway() {
		c.session.Host.OfferChanged()
	}
}

// Expects reports whether the agent has shown a call of one of Weft's tools that has not reached the gateway.
func (c *Calls[M]) Expects(tool string) bool {
	for g := range c.Drafts.All {
		if g.Tool.Name == tool && !g.Taken && !g.Over {
			return true
		}
	}
	return false
}

// Pass notes a call that has arrived at the gateway and is neither shown nor asked about, as it is silent, only reads spaces, or is refused: a later
// call of the tool is not to be taken for it.
func (c *Calls[M]) Pass(tool string, sent jsontext.Value) {
	if a := c.Drafts.Pass(tool, sent); a.Call != nil {
		c.showArrived(a)
		c.Drafts.Undraw(a.Call)
		c.session.Step.Flush()
	}
}

// Arrive takes a call that arrives at the gateway. If known isn't nil, its line isn't known yet: known is closed once it is. The caller waits for that until
// a.Until, without the lock. [Calls.Continue] must follow in any case.
func (c *Calls[M]) Arrive(tool string, sent jsontext.Value, now time.Time) (a *Arrival[M], known <-chan struct{}) {
	a = c.Drafts.Arrive(tool, sent, now)
	if !a.Settled {
		settled := make(chan struct{})
		c.waiting[a] = settled
		known = settled
	}
	return a, known
}

// Waited says how the wait for the line of a call has ended.
type Waited int

// The ends of a wait.
const (
	// Known: the line is known, or was from the beginning; or the agent doesn't wait any more.
	Known Waited = iota
	// TimeUp: it is not known in time.
	TimeUp
	// Gone: the session has ended meanwhile.
	Gone
)

// Continue continues a call that has arrived, with its line or without one.
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

// longMessage is from how many bytes on it matters to a reader that a message comes in one piece.
const longMessage = 100

// noteWhole notes of the agent that a message to a space has come in one piece, although Weft could have read along.
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

// showArrived shows at the agent's call that it has arrived.
func (c *Calls[M]) showArrived(a *Arrival[M]) {
	if a.Patch != nil {
		c.session.Space.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: a.Patch})
	}
}

// wake lets those continue whose call at the gateway is settled.
func (c *Calls[M]) wake() {
	for a, known := range c.waiting {
		if a.Settled {
			delete(c.waiting, a)
			close(known)
		}
	}
}
