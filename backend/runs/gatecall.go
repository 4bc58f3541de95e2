package runs

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/displays"
	"weft/backend/gatedrafts"
	"weft/backend/modelcalls"
	"weft/backend/transcript"
)

// drafts are the calls of the gateway's tools of a session, gateCall is one of them, arrival is one that has arrived at the gateway.
type (
	drafts   = gatedrafts.Drafts[*message]
	gateCall = gatedrafts.Call[*message]
	arrival  = gatedrafts.Arrival[*message]
)

// drafting is the space of a session for what is shown of calls of the gateway. It implements [gatedrafts.Space].
type drafting struct{ l *liveSession }

func (d drafting) InRun() bool                 { return d.l.s.run != nil }
func (d drafting) Shows(call string) bool      { return d.l.s.turns.Current().Knows(call) }
func (d drafting) Update(u *transcript.Update) { d.l.s.turns.Update(u, d.l.s.m.now()) }
func (d drafting) Own() *transcript.Fold       { return d.l.s.part(d.l.s.run) }
func (d drafting) NewID(kind string) string    { return d.l.s.newID(kind) }
func (d drafting) Now() int64                  { return d.l.s.m.now() }

func (d drafting) Elsewhere(spaceID string) (func() *message, error) {
	s := d.l.s
	as, err := s.m.Tools().memberOf(context.Background(), s, spaceID)
	return func() *message { return s.run.in(s, spaceID, as) }, err
}

func (d drafting) From(call string) *displays.From { return d.l.s.asksFrom(call) }

// gated notes what an agent reports about its calls of the gateway, and returns the update as the conversation is to have it. The
// lock is held.
func (l *liveSession) gated(u *transcript.Update) *transcript.Update {
	u = l.gate.Report(u)
	l.wake()
	return u
}

// showWritten shows what the model has written of its calls. The lock is held.
func (l *liveSession) showWritten(list []modelcalls.Change) {
	l.gate.Write(list)
	l.wake()
}

// forget is for the end of a run: what is known of its calls goes, but for which of them are displays. The lock is held.
func (l *liveSession) forget() {
	l.watch.Forget()
	l.s.desk.Questions.Forget()
	l.changes.Forget()
	l.gate.Forget()
	l.wake()
}

// Pass notes a call that has arrived at the gateway and is neither shown nor asked about, as it is silent, only reads spaces, or is refused: a later
// call of the tool is not to be taken for it. Messages to spaces are told apart by what was written of them.
func (ts Tools) Pass(from MemberKey, tool string, sent jsontext.Value) {
	s, _, err := ts.runIn(from)
	if err != nil || tool == gatedrafts.SendMessage {
		return
	}
	s.Lock()
	defer s.Unlock()
	if l := s.life.Live(); l != nil {
		if a := l.gate.Pass(tool, sent); a.Call != nil {
			l.tells(a.Patch)
			l.gate.Undraw(a.Call)
			s.Flush()
		}
	}
}

// claimed returns the agent's own call for one that arrives at the gateway, and the drafts that it is one of; late is the arrival of one that the agent has
// not shown within [gatecalls.Wait]. The lock is held, but not while it waits.
func (s *Session) claimed(ctx context.Context, tool string, sent jsontext.Value) (gate *drafts, g *gateCall, late *arrival) {
	l := s.life.Live()
	if l == nil {
		return nil, nil, nil
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
		case s.life.Live() != l:
		case over:
			l.gate.Tick(a.Until)
			l.wake()
		default:
			l.gate.Cancel(a)
		}
	}
	l.tells(a.Patch)
	if a.Call != nil {
		return l.gate, a.Call, nil
	}
	return l.gate, nil, a
}

// wake lets those continue whose call at the gateway is settled. The lock is held.
func (l *liveSession) wake() {
	for a, known := range l.claims {
		if a.Settled {
			delete(l.claims, a)
			close(known)
		}
	}
}

// tells shows something at a call of the agent. The lock is held.
func (l *liveSession) tells(p *transcript.ToolPatch) {
	if p != nil {
		l.s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, l.s.m.now())
	}
}

// memberOf returns as which member of a space the agent of a session may write there: one that is the same agent, of the same name if
// there are several. It blocks for a read. Errors: *Error (no_space, not_member).
func (ts Tools) memberOf(ctx context.Context, s *Session, spaceID string) (Member, error) {
	space, err := ts.m.opt.Space(ctx, spaceID)
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
