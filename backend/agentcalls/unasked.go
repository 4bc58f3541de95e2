package agentcalls

import (
	"weft/backend/actions"
	"weft/backend/agentnotes"
	"weft/backend/clip"
	"weft/backend/permission"
	"weft/backend/transcript"
	"weft/backend/unasked"
)

// maxUnasked is how much is kept of what an agent did, in bytes.
const maxUnasked = 160

// judgedBy is what holds when something is judged now.
func (c *Calls[M]) judgedBy() unasked.Now {
	return unasked.Now{Place: c.session.Place, Rules: c.session.Rules(), Mode: c.session.Desk.Mode.Now()}
}

// judge looks whether the agent did what a call says without asking, when that call has ended.
func (c *Calls[M]) judge(p *transcript.ToolPatch) {
	s := &c.session
	turn, open := s.Step.Turn()
	if s.Turns.Replaying() || !open || !s.Host.Prompted() {
		turn = nil
	}
	g := c.Drafts.Get(p.ID)
	in := s.Turns.With(p.ID)
	f := c.Watch.Ended(p, turn, in != nil && in.Ran(p.ID), g != nil && g.Taken, c.judgedBy())
	if f.Report {
		s.Desk.Permissions.Unasked(s.Turns, p.ID, &f.Call, f.About, f.Decision, false)
	}
	if f.Unasked {
		c.saw(f.About, f.Call.Title)
	}
}

// saw notes that the agent acts without asking.
func (c *Calls[M]) saw(about *permission.Subject, title string) {
	s := &c.session
	s.Notes.Saw(s.Agent.ID, agentnotes.Unasked{
		Kind: about.Kind, About: clip.Text(s.Hide.Text(actions.Name(about, title)), maxUnasked), SpaceID: s.Place.SpaceID, At: s.Space.Now(),
	})
}

// MayChange reports whether a call is open that may have changed files that were found.
func (c *Calls[M]) MayChange() bool { return c.Watch.MayChange(c.Drafts.Drawn) }

// ShowFound shows the files that were found during a turn to have changed, if nobody was asked about them and the user should have been, in a row of
// Weft's own. In returns the message that the row is for. The prompt of the turn was sent in this session.
func (c *Calls[M]) ShowFound(turn *actions.Turn, in func() *transcript.Fold) {
	s, now := &c.session, c.judgedBy()
	g, ok := turn.Weigh(now.Place, now.Rules, now.Mode)
	if !ok {
		return
	}
	f := in()
	row := unasked.Row(s.Space.NewID("tool"), now.Place.Folder, &g)
	f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: row}, s.Space.Now())
	about := permission.Describe(&g.Call, now.Place)
	s.Desk.Permissions.Unasked(f, row.ID, &g.Call, about, g.Decision, true)
	if g.Certain {
		c.saw(about, g.Call.Title)
	}
}
