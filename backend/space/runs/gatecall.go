package runs

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/agent/agentproc"
	"weft/backend/space/agentcalls"
	"weft/backend/space/gatecalls"
	"weft/backend/space/gatedrafts"
	"weft/backend/space/team"
)

type (
	drafts   = gatedrafts.Drafts[*message]  // a session's calls of gateway tools
	gateCall = gatedrafts.Call[*message]    // one of these calls, as the agent reports it
	arrival  = agentcalls.Arrival[*message] // a call that has arrived at the gateway
)

// Pass notes that a call has arrived at the gateway which needs neither a row nor permission: it is silent, only reads
// spaces, or was refused. Without that, a later call of the tool could be matched with it. Messages to spaces are
// matched by their text instead.
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

// claimed matches a call that arrives at the gateway with the call that the agent reports. It waits for the report, at
// most [gatecalls.Wait] plus the time to handle what the agent had written by then. late is set instead of g if there
// is no report. The lock is held, but released while waiting.
func (s *Session) claimed(ctx context.Context, tool string, sent jsontext.Value) (gate *drafts, g *gateCall, late *arrival) {
	l := s.life.Live()
	if l == nil || l.conn.Lane == nil { // a former process of the agent may call while a new one starts
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
			l.conn.CatchUp(ctx) // on a busy machine, the report may be written but not yet handled
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

// Reached notes that the agent has reached the gateway with the session's token, with a call of a tool unless tool is
// "". Error: wrong_session if the call belongs to another session of the process.
func (ts Tools) Reached(from MemberKey, tool string) error {
	s := ts.m.known(from.SpaceID, from.MemberID)
	if s == nil {
		return nil
	}
	if tool != "" && s.tokenMixedUp(tool) {
		return errWrongSession
	}
	s.Lock()
	defer s.Unlock()
	if l := s.life.Live(); l != nil {
		l.calls.Reached(tool)
		if tool != "" {
			s.run.noteProgress(nil)
		}
	}
	return nil
}

// tokenMixedUp reports whether a call with this session's token belongs to another session of the process: a session
// with a turn in progress reports a call of the tool that hasn't arrived at the gateway. Each session then gets a
// separate process. It blocks for the agent's report, at most [gatecalls.Wait]. No lock is held.
func (s *Session) tokenMixedUp(tool string) bool {
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

// expects reports whether the agent reports a call of the tool that hasn't arrived at the gateway. It blocks for such a
// report until the time until. The lock is not held.
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

// memberOf returns the member as which the session's agent may write to a space: a member with the same agent, and with
// the same name if there are several. It blocks for a read. Errors: *Error (no_space, not_member).
func (ts Tools) memberOf(ctx context.Context, s *Session, spaceID string) (team.Member, error) {
	space, err := ts.m.opt.Space(ctx, spaceID)
	if err != nil {
		return team.Member{}, newError("no_space", "There is no space {{spaceID}}. listSpaces returns those that exist.", spaceID)
	}
	found, ok := space.As(s.space.AgentID, s.member().Name)
	if !ok {
		return found, notMember(spaceID)
	}
	return found, nil
}

func notMember(spaceID string) error {
	return newError("not_member", "You aren't a member of the space {{spaceID}}. listSpaces returns those that you are a member of.", spaceID)
}
