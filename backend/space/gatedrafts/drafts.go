package gatedrafts

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/space/gatecalls"
	"weft/backend/space/modelcalls"
	"weft/backend/space/toolcalls"
)

// SendMessage is the gateway's tool that sends a message to a space.
const SendMessage = "sendSpaceMessage"

// Space is the space of the session. Its methods are called with its lock. None blocks.
type Space[M Message] interface {
	// InRun reports whether a run is in progress.
	InRun() bool
	// Shows reports whether the current message contains the call.
	Shows(call string) bool
	// Update shows an update that the session itself made.
	Update(u *transcript.Update)
	// Own returns the message in this space that the run currently writes to.
	Own() *transcript.Fold
	// Elsewhere returns the run's current message in another space; a mention starts a new message there. Nothing
	// appears in it if the agent isn't a member of that space.
	Elsewhere(spaceID string) M
	// From returns the origin of a display that the call draws in another space, without the name of the space.
	From(call string) *displays.From
	// NewID returns a new id that begins with kind.
	NewID(kind string) string
	// Now returns the time in unix ms.
	Now() int64
}

// Message is the message of the run in another space. Its methods don't block. Additions appear in order.
type Message interface {
	comparable
	// SpaceID returns the space that the message is in.
	SpaceID() string
	// Text adds text. piece identifies the text that it continues; each piece is a separate segment. call is the call
	// that sends it.
	Text(piece, call, text string)
	// Change runs do with the lock of that space. size is the approximate number of bytes that it adds.
	Change(size int, do func(f *transcript.Fold))
	// HomeTitle returns the title of the session's own space. It may only be called within Change.
	HomeTitle() string
}

// Call is a call of one of the gateway's tools, with its [Draft].
type Call[M Message] = gatecalls.Call[Draft[M]]

// Arrival is a call that has arrived at the gateway.
type Arrival[M Message] = gatecalls.Arrival[Draft[M]]

// Draft is what is shown of a call to the gateway, before and after it arrives.
type Draft[M Message] struct {
	titled  bool        // Weft has set its title, which is better than the agent's
	title   string      // for its row, once there is one; "": the agent's
	display *display[M] // for a tool that draws, until the call arrives; otherwise nil

	// For a message to a space: what was shown while it was written.
	space string
	held  []*transcript.Update // updates to show once the space is known: a message to the own space has no row
	here  bool                 // it goes to the own space, which contains its text
	text  strings.Builder
	sent  int              // bytes of text that are shown
	to    M                // the message in another space with the latest part
	in    *transcript.Fold // the same in the own space
}

// Drafts has the calls of the gateway's tools in one session, and what is shown of them. It is not safe for
// concurrent use.
type Drafts[M Message] struct {
	*gatecalls.Calls[Draft[M]]
	space   Space[M]
	spaceID string
	ahead   map[modelcalls.Key]*Call[M] // messages to other spaces that are shown before the agent has shown their calls
}

// New returns an empty Drafts. open has all open calls of the agent; the caller updates it.
func New[M Message](space Space[M], spaceID string, find gatecalls.Lookup, open toolcalls.Open) *Drafts[M] {
	return &Drafts[M]{Calls: gatecalls.New[Draft[M]](find, open), space: space, spaceID: spaceID, ahead: map[modelcalls.Key]*Call[M]{}}
}

// Report processes an update of a call and returns the update for the conversation, or nil to show nothing. This may
// settle calls that wait at the gateway.
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
	if g.Drawn { // the display shows what became of it
		if report.Arrived && d.space.Shows(p.ID) { // it was shown before it was recognized
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

// Retitle updates the title of the agent's call, and its input if the agent hasn't reported it whole. It does nothing
// if g is nil.
func (d *Drafts[M]) Retitle(g *Call[M], title string, input jsontext.Value) {
	switch {
	case g == nil:
	case g.Ahead:
		g.Kept.title = title
	default:
		p := &transcript.ToolPatch{ID: g.ID, Title: &title}
		if len(g.Whole) == 0 {
			p.Input = input // the agent has only streamed it
		}
		d.space.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: p})
		g.Kept.titled = true
	}
}

// End handles the end of a run: it marks unsent messages, shows calls that were held back, and removes displays that
// never arrived.
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
