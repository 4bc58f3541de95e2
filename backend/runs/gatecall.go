package runs

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/gatecalls"
	"weft/backend/partialjson"
	"weft/backend/transcript"
)

// Names of the gateway's tools that this package knows.
const postTool = "sendSpaceMessage"

// gateCall is a call of one of the gateway's tools as the agent's session shows it, with what is shown of it.
type gateCall = gatecalls.Call[shownCall]

// arrival is a call that has arrived at the gateway.
type arrival = gatecalls.Arrival[shownCall]

// shownCall is what is shown of a call of the gateway while it is written, and once it has arrived.
type shownCall struct {
	titled bool   // its title says what became of it, better than the agent's
	title  string // for its row when that comes; "" for the agent's
	early  *early // of a tool that draws, until it has arrived; nil of others

	// Of a message to a space, as far as it was shown while it was written.
	space string
	held  []*transcript.Update // until that is known: a message to the own space is no row
	here  bool                 // it is to the own space, in which its text stands
	text  strings.Builder
	sent  int // bytes of text
	as    Member
	to    *message         // that has the latest of it, in another space
	in    *transcript.Fold // in the own space
}

// gated notes what an agent reports about its calls of the gateway, and returns the update as the conversation is to have it. The
// lock is held.
func (l *link) gated(u *transcript.Update) *transcript.Update {
	report := l.gate.Report(u.Tool, l.s.run != nil)
	if report.Patch != u.Tool {
		u = u.WithTool(report.Patch)
	}
	g := report.Call
	if g == nil {
		return u
	}
	if report.Arrived {
		l.wake()
	}
	p := u.Tool
	if report.Caught && g.Kept.title != "" {
		g.Kept.titled = true
		u = u.ChangeTool(func(p *transcript.ToolPatch) { p.Title = &g.Kept.title })
		p = u.Tool
	}
	if g.Drawn { // the display says what became of it
		if report.Arrived && l.s.turns.Current().Knows(p.ID) { // it was shown before anything was known of it
			return u.ChangeTool(func(p *transcript.ToolPatch) { p.Visibility = transcript.VisibilityHidden })
		}
		return nil
	}
	if g.Tool == postTool {
		if u = l.postShown(g, u, report.Changes); u == nil {
			return nil
		}
	} else if !g.Taken {
		u = l.drawnEarly(g, u)
	}
	if g.Kept.titled && u.Tool.Title != nil && !report.Caught {
		u = u.ChangeTool(func(p *transcript.ToolPatch) { p.Title = nil })
	}
	return u.WithTool(g.Plain(u.Tool))
}

// forget is for the end of a run: what is known of its calls goes, but for which of them are displays. The lock is held.
func (l *link) forget() {
	clear(l.vouched)
	l.s.desk.Questions.Forget()
	l.changes.Forget()
	l.gate.Forget()
	l.wake()
}

// postShown is gated for a message to a space: the call is a row if it goes to another space, and not shown if it goes to the own
// one, where its text stands. Until that is known it waits. Changes are what the update brings of its input. The lock is held.
func (l *link) postShown(g *gateCall, u *transcript.Update, changes []partialjson.Change) *transcript.Update {
	p, k := u.Tool, &g.Kept
	if !g.Taken {
		l.written(g, p, changes)
	}
	over := p.Status != nil && p.Status.Ended()
	if over && !g.Taken && k.sent > 0 {
		l.unsent(g)
	}
	switch {
	case l.s.turns.Current().Knows(p.ID): // it is a row already: permission was asked, or it waited long enough
		return u
	case k.here && (!over || *p.Status == transcript.StatusCompleted || g.Taken):
		k.held = nil
		return nil
	case k.space == "" && !over && len(k.held) < maxHeld:
		kept := *u // what u points to may be kept, u may not
		k.held = append(k.held, &kept)
		return nil
	}
	l.showHeld(g)
	return u
}

// unsent says behind what was shown of a message that its call has ended without sending it: the gateway refused it, or the agent
// has not made the call at all. The lock is held.
func (l *link) unsent(g *gateCall) {
	const words = "What stands above was written, but not sent."
	k := &g.Kept
	k.sent, k.text = 0, strings.Builder{}
	if k.to != nil {
		k.to.Do(0, func(_ target, f *transcript.Fold) {
			f.EndText(g.PartID(), g.ID, true)
			f.Note(words)
		})
		return
	}
	k.in.EndText(g.PartID(), g.ID, true)
	k.in.Note(words)
}

// showHeld makes a row of a call that has waited for it.
func (l *link) showHeld(g *gateCall) {
	held := g.Kept.held
	g.Kept.held = nil
	for _, u := range held {
		l.s.turns.Update(u, l.s.m.now())
	}
}

// maxHeld is how many updates of a call wait until it is known where it writes to.
const maxHeld = 1 << 14

// written shows what an agent writes to another space while it writes it. Until the space is known, the text waits.
func (l *link) written(g *gateCall, p *transcript.ToolPatch, changes []partialjson.Change) {
	k := &g.Kept
	if p.InputDelta != "" {
		for _, ch := range changes {
			if ch.Kind == partialjson.Text && ch.Field == "text" && ch.Path == "" {
				k.text.WriteString(ch.Text)
			}
			if ch.Kind == partialjson.Complete && ch.Field == "spaceId" {
				k.space = g.Text("spaceId")
			}
		}
	} else if p.Input != nil {
		var in struct{ SpaceID, Text string }
		if json.Unmarshal(g.Whole, &in, json.MatchCaseInsensitiveNames(true)) != nil {
			return
		}
		k.space = in.SpaceID
		if rest, ok := strings.CutPrefix(in.Text, k.text.String()); ok {
			k.text.WriteString(rest)
		}
	}
	k.here = k.space == l.s.space.ID
	if k.space == "" || k.text.Len() == k.sent || k.here && g.Ahead || l.s.run == nil {
		return
	}
	rest := k.text.String()[k.sent:]
	if k.here {
		k.in = l.s.part(l.s.run)
		k.in.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: rest, MessageID: g.PartID(), Apart: true, Via: g.ID}, l.s.m.now())
		k.sent = k.text.Len()
		return
	}
	if k.as.ID == "" {
		as, err := l.s.m.memberOf(context.Background(), l.s, k.space)
		if err != nil {
			k.space = ""
			return
		}
		k.as = as
	}
	k.to = l.s.run.in(l.s, k.space, k.as) // another one after a mention
	k.to.Text(g.PartID(), g.ID, rest)
	k.sent = k.text.Len()
}

// Pass notes a call that has arrived at the gateway and is neither shown nor asked about, as it is silent, only reads spaces, or is refused: a later
// call of the tool is not to be taken for it. Messages to spaces are told apart by what was written of them.
func (m *Manager) Pass(from Seat, tool string, sent jsontext.Value) {
	s, _, err := m.runIn(from)
	if err != nil || tool == postTool {
		return
	}
	s.Lock()
	defer s.Unlock()
	if l := s.link; l != nil {
		if a := l.gate.Pass(tool, sent); a.Call != nil {
			l.tells(a.Patch)
			s.undraw(a.Call)
			s.Flush()
		}
	}
}

// claimed returns the agent's own call for one that arrives at the gateway; late is the arrival of one that it has not shown within [gatecalls.Wait]. The
// lock is held, but not while it waits.
func (s *Session) claimed(ctx context.Context, tool string, sent jsontext.Value) (g *gateCall, late *arrival) {
	l := s.link
	if l == nil {
		return nil, nil
	}
	now := s.m.opt.Now()
	a := l.gate.Arrive(tool, sent, now)
	if !a.Settled {
		known := make(chan struct{})
		l.claims[a] = known
		s.Unlock()
		wait := time.NewTimer(a.Until.Sub(now))
		defer wait.Stop()
		over := false
		select {
		case <-known:
		case <-wait.C:
			over = true
		case <-ctx.Done():
		}
		s.Lock()
		delete(l.claims, a)
		switch {
		case s.link != l:
		case over:
			l.gate.Tick(a.Until)
			l.wake()
		default:
			l.gate.Cancel(a)
		}
	}
	l.tells(a.Patch)
	if a.Call != nil {
		return a.Call, nil
	}
	return nil, a
}

// wake lets those continue whose call at the gateway is settled. The lock is held.
func (l *link) wake() {
	for a, known := range l.claims {
		if a.Settled {
			delete(l.claims, a)
			close(known)
		}
	}
}

// tells shows something at a call of the agent. The lock is held.
func (l *link) tells(p *transcript.ToolPatch) {
	if p != nil {
		l.s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, l.s.m.now())
	}
}

// memberOf returns as which member of a space the agent of a session may write there: one that is the same agent, of the same name if
// there are several. It blocks for a read. Errors: *Error (no_space, not_member).
func (m *Manager) memberOf(ctx context.Context, s *Session, spaceID string) (Member, error) {
	space, err := m.opt.Space(ctx, spaceID)
	if err != nil {
		return Member{}, &Error{Code: "no_space", Message: "There is no space " + spaceID + ". listSpaces tells those that there are."}
	}
	var found Member
	for _, member := range space.Members {
		if member.AgentID == s.space.AgentID && (found.ID == "" || strings.EqualFold(member.Name, s.member.Name)) {
			found = member
		}
	}
	if found.ID == "" {
		return found, &Error{Code: "not_member", Message: "You are not a member of the space " + spaceID + ". listSpaces tells those that you are a member of."}
	}
	return found, nil
}
