package runs

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/agentcalls"
	"weft/backend/agentproc"
	"weft/backend/gatecalls"
	"weft/backend/gatedrafts"
	"weft/backend/team"
)

// drafts are the calls of the gateway's tools of a session, gateCall is one of them, arrival is one that has arrived at the gateway.
type (
	drafts   = gatedrafts.Drafts[*message]
	gateCall = gatedrafts.Call[*message]
	arrival  = agentcalls.Arrival[*message]
)

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
		l.calls.Pass(tool, sent)
	}
}

// claimed returns the agent's own call for one that arrives at the gateway, and the drafts that it is one of; late is the arrival of one that the agent has
// not shown within [gatecalls.Wait], or in what it had written until then. The lock is held, but not while it waits.
func (s *Session) claimed(ctx context.Context, tool string, sent jsontext.Value) (gate *drafts, g *gateCall, late *arrival) {
	l := s.life.Live()
	if l == nil {
		return nil, nil, nil
	}
	now := s.m.opt.Now()
	a, known := l.calls.Arrive(tool, sent, now)
	how := agentcalls.Known
	if known != nil {
		s.Unlock()
		wait := time.NewTimer(a.Until.Sub(now))
		defer wait.Stop()
		select {
		case <-known:
		case <-wait.C:
			how = agentcalls.TimeUp
			l.conn.CatchUp(ctx) // on a busy machine the agent's line, and what it wrote before, is still to be read or handled
		case <-ctx.Done():
		}
		s.Lock()
		if s.life.Live() != l {
			how = agentcalls.Gone
		}
	}
	l.calls.Continue(a, how)
	if a.Call != nil {
		return l.calls.Drafts, a.Call, nil
	}
	return l.calls.Drafts, nil, a
}

// Reached notes that the agent of a session has reached the gateway with its token, with a call of a tool unless that is "". Error: wrong_session where the
// call belongs to another session of the agent's process.
func (ts Tools) Reached(from MemberKey, tool string) error {
	s := ts.m.known(from.SpaceID, from.MemberID)
	if s == nil {
		return nil
	}
	if tool != "" && s.mixed(tool) {
		return errWrongSession
	}
	s.Lock()
	defer s.Unlock()
	if l := s.life.Live(); l != nil {
		l.calls.Reached(tool)
		if tool != "" {
			s.run.notesWork(nil)
		}
	}
	return nil
}

// mixed reports whether a call of a tool that has reached the gateway with the token of this session belongs to another session of the process: this one has no
// turn, and another one that has shows a call of that tool which has not arrived. Each of them gets a process of its own then. It blocks for the agent's line,
// at most [gatecalls.Wait]. No lock is held.
func (s *Session) mixed(tool string) bool {
	s.Lock()
	var lease *agentproc.Lease
	if l := s.life.Live(); l != nil {
		lease = l.conn.Lease
	}
	s.Unlock()
	if lease == nil {
		return false
	}
	until := s.m.opt.Now().Add(gatecalls.Wait)
	for _, other := range lease.OthersAtWork() {
		if o, ok := other.(*liveSession); ok && o.expects(tool, until) {
			lease.Part()
			return true
		}
	}
	return false
}

// expects reports whether the agent shows a call of one of Weft's tools that has not reached the gateway. Its line may come after the call, so it blocks until
// then. The lock is not held.
func (l *liveSession) expects(tool string, until time.Time) bool {
	over := false
	l.s.Later(until.Sub(l.s.m.opt.Now()), func() {
		over = true
		l.s.Broadcast()
	})
	l.s.LockUntil(func() bool { return over || l.dropped.Load() || l.calls.Expects(tool) })
	defer l.s.Unlock()
	return l.calls.Expects(tool)
}

var errWrongSession = newError("wrong_session", "This request used another session's token and was refused. You're using one session's MCP servers for all of your sessions. From the next prompt on, Weft runs each session in a separate process.")

// memberOf returns as which member of a space the agent of a session may write there: one that is the same agent, of the same name if
// there are several. It blocks for a read. Errors: *Error (no_space, not_member).
func (ts Tools) memberOf(ctx context.Context, s *Session, spaceID string) (team.Member, error) {
	space, err := ts.m.opt.Space(ctx, spaceID)
	if err != nil {
		return team.Member{}, newError("no_space", "There is no space {{spaceID}}. listSpaces returns those that exist.", spaceID)
	}
	found, ok := space.As(s.space.AgentID, s.member.Name)
	if !ok {
		return found, newError("not_member", "You aren't a member of the space {{spaceID}}. listSpaces returns those that you are a member of.", spaceID)
	}
	return found, nil
}
