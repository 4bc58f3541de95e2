package gatedrafts

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/displays"
	"weft/backend/gatecalls"
	"weft/backend/modelcalls"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// SendMessage is the gateway's tool that sends a message to a space.
const SendMessage = "sendSpaceMessage"

// Space is the space of the session. All methods are called with its lock; only Elsewhere and From block, for a read.
type Space[M Message] interface {
	// InRun reports whether a run is in progress.
	InRun() bool
	// Shows reports whether the current message has a call with the id.
	Shows(call string) bool
	// Update shows an update of the session's own.
	Update(u *transcript.Update)
	// Own returns the message of the run in this space, which the run writes to now.
	Own() *transcript.Fold
	// Elsewhere returns a function that returns the message of the run in another space, which is another one after a mention. Error: the agent is
	// no member of that space.
	Elsewhere(spaceID string) (func() M, error)
	// From returns where a display comes from that is drawn in another space by the call.
	From(call string) *displays.From
	// NewID returns a new id that begins with kind.
	NewID(kind string) string
	// Now returns the time in unix ms.
	Now() int64
}

// Message is the message of the run in another space. Its methods don't block; what they add comes in order.
type Message interface {
	comparable
	// SpaceID returns the space that the message is in.
	SpaceID() string
	// Text adds text. Piece is the text that it belongs to; another one is a segment of its own. Call is the call by which the agent sends it.
	Text(piece, call, text string)
	// Change has do change the message. It is called with the lock of that space. Size is how many bytes the change adds, about.
	Change(size int, do func(f *transcript.Fold))
}

// Call is a call of one of the gateway's tools with what is shown of it.
type Call[M Message] = gatecalls.Call[Draft[M]]

// Arrival is a call that has arrived at the gateway.
type Arrival[M Message] = gatecalls.Arrival[Draft[M]]

// Draft is what is shown of a call of the gateway while it is written, and once it has arrived.
type Draft[M Message] struct {
	titled  bool        // its title says what became of it, better than the agent's
	title   string      // for its row when that comes; "" for the agent's
	display *display[M] // of a tool that draws, until it has arrived; nil of others

	// Of a message to a space, as far as it was shown while it was written.
	space string
	held  []*transcript.Update // until that is known: a message to the own space is no row
	here  bool                 // it is to the own space, in which its text stands
	text  strings.Builder
	sent  int              // bytes of text
	away  func() M         // the message of the run in another space, nil until one was asked for
	to    M                // that has the latest of it, in another space
	in    *transcript.Fold // in the own space
}

// Drafts are the calls of the gateway's tools of one session, with what is shown of them. It is not safe for concurrent use.
type Drafts[M Message] struct {
	*gatecalls.Calls[Draft[M]]
	space   Space[M]
	spaceID string
	ahead   map[modelcalls.Key]*Call[M] // messages to other spaces that are shown before the agent has shown their calls
}

// New returns the calls of a session in a space that has shown none. Open has what the agent has reported of all its open calls; the caller keeps it.
func New[M Message](space Space[M], spaceID string, find gatecalls.Lookup, open toolcalls.Open) *Drafts[M] {
	return &Drafts[M]{Calls: gatecalls.New[Draft[M]](find, open), space: space, spaceID: spaceID, ahead: map[modelcalls.Key]*Call[M]{}}
}

// Report takes what an agent reports about its calls, and returns the update as the conversation is to have it, nil for nothing. Calls at the gateway that
// wait for their line may be settled by it.
func (d *Drafts[M]) Report(u *transcript.Update) *transcript.Update {
	report := d.Calls.Report(u.Tool, d.space.InRun())
	if report.Patch != u.Tool {
		u = u.WithTool(report.Patch)
	}
	g := report.Call
	if g == nil {
		return u
	}
	p := u.Tool
	if report.Caught && g.Kept.title != "" {
		g.Kept.titled = true
		u = u.ChangeTool(func(p *transcript.ToolPatch) { p.Title = &g.Kept.title })
		p = u.Tool
	}
	if g.Drawn { // the display says what became of it
		if report.Arrived && d.space.Shows(p.ID) { // it was shown before anything was known of it
			return u.ChangeTool(func(p *transcript.ToolPatch) { p.Visibility = transcript.VisibilityHidden })
		}
		return nil
	}
	if g.Tool.Name == SendMessage {
		if u = d.messageShown(g, u, report.Changes); u == nil {
			return nil
		}
	} else if !g.Taken {
		u = d.drawnEarly(g, u)
	}
	if g.Kept.titled && u.Tool.Title != nil && !report.Caught {
		u = u.ChangeTool(func(p *transcript.ToolPatch) { p.Title = nil })
	}
	return u.WithTool(g.Plain(u.Tool))
}

// Retitle says in the agent's own call what became of it, and with which arguments the tool got it. It does nothing if g is nil.
func (d *Drafts[M]) Retitle(g *Call[M], title string, input jsontext.Value) {
	switch {
	case g == nil:
	case g.Ahead:
		g.Kept.title = title
	default:
		p := &transcript.ToolPatch{ID: g.ID, Title: &title}
		if len(g.Whole) == 0 {
			p.Input = input // the agent has told only how it was written
		}
		d.space.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: p})
		g.Kept.titled = true
	}
}

// End is for the end of a run: calls that have come to nothing are shown as such.
func (d *Drafts[M]) End() {
	for g := range d.All {
		if g.Kept.sent > 0 && !g.Taken {
			d.unsent(g)
		}
		if !g.Kept.here && !g.Taken {
			d.ShowHeld(g)
			d.Undraw(g)
		}
	}
}
