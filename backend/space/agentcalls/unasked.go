package agentcalls

import (
	"weft/backend/base/clip"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/space/agentnotes"
	"weft/backend/space/unasked"
)

// maxUnasked limits the description of an unasked action, in bytes.
const maxUnasked = 160

// judgedBy returns the current settings that decide whether asking was required.
func (c *Calls[M]) judgedBy() unasked.Now {
	return unasked.Now{Place: c.session.Place, Rules: c.session.Rules(), Mode: c.session.Inbox.Mode.Now()}
}

// judge checks whether a call that has ended did something without asking.
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
		s.Inbox.Permissions.Unasked(s.Turns, p.ID, &f.Call, f.About, f.Decision, false)
	}
	if f.Unasked {
		c.saw(f.About, f.Call.Title)
	}
}

// saw records that the agent acted without asking.
func (c *Calls[M]) saw(about *permission.Subject, title string) {
	s := &c.session
	s.Notes.Saw(s.Agent.ID, agentnotes.Unasked{
		Kind: about.Kind, About: clip.Text(s.Hide.Text(actions.Name(about, title)), maxUnasked), SpaceID: s.Place.SpaceID, At: s.Space.Now(),
	})
}

// MayChange reports whether an open call may have caused the file changes that were found.
func (c *Calls[M]) MayChange() bool { return c.Watch.MayChange(c.Drafts.Drawn) }

// ShowFound adds a row for files that changed during a turn without a permission request, if one was required. in
// returns the message for the row. The prompt of the turn must have been sent in this session.
func (c *Calls[M]) ShowFound(turn *actions.Turn, in func() *transcript.Fold) {
	s, now := &c.session, c.judgedBy()
	g, ok := turn.JudgeFound(now.Place, now.Rules, now.Mode)
	if !ok {
		return
	}
	f := in()
	row := unasked.Row(s.Space.NewID("tool"), now.Place.Folder, &g)
	f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: row}, s.Space.Now())
	s.Inbox.Permissions.Unasked(f, row.ID, &g.Call, g.About, g.Decision, true)
	if g.Certain {
		c.saw(g.About, g.Call.Title)
	}
}
