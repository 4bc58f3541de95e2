package runs

import (
	"context"

	"weft/backend/acp"
	"weft/backend/acpsession"
	"weft/backend/agent"
	"weft/backend/agentauth"
	"weft/backend/asking"
	"weft/backend/fault"
	"weft/backend/follow"
	"weft/backend/lifecycle"
	"weft/backend/prompt"
	"weft/backend/sessionoptions"
	"weft/backend/team"
	"weft/backend/transcript"
	"weft/backend/usage"
)

// Session is the session of one member: its conversation in the space and its connection to an agent process, which may have other sessions.
type Session struct {
	*spaceRuntime

	space  team.Space // with the agent of the member; its members are in the runtime's
	member team.Member

	// Under the lock of the space.
	life    *lifecycle.Machine[*liveSession]
	turns   *transcript.Turns
	run     *run
	last    *run                   // the run that ended last; may be nil
	again   *prompt.Said           // last message to repeat in the next prompt, after Restart
	desk    *asking.Desk           // pending requests to the user, and the permission mode
	options sessionoptions.Options // the session's options and the chosen values
	cost    usage.Cost             // the session's cost as last reported
	signIns agentauth.Known        // known sign-in methods
	tried   acpsession.Tried       // failed attempts to continue a session
	without fault.Said             // last note about refused MCP servers

	trail follow.Trail // the agent's locations
}

func newSession(r *spaceRuntime, space team.Space, member team.Member, options sessionoptions.Options) *Session {
	space.AgentID = member.AgentID
	s := &Session{spaceRuntime: r, space: space, member: member, options: options}
	s.turns = transcript.NewTurns(&r.Box, transcript.Author{Kind: "person"}, s.author(), func() string { return r.w.newID("msg") })
	s.life = lifecycle.New[*liveSession](s, lifecycleMember{s})
	s.desk = newDesk(s)
	return s
}

// author returns the author of the session's messages.
func (s *Session) author() transcript.Author {
	return transcript.Author{Kind: "agent", ID: s.space.AgentID, Name: s.member.Name, MemberID: transcript.MemberField(s.member.ID)}
}

// newLiveSession returns a session that isn't open.
func newLiveSession(s *Session, config agent.Config, stage *lifecycle.Stage[*liveSession]) *liveSession {
	l := &liveSession{s: s, config: config, stage: stage, adjusting: make(chan struct{}, 1)}
	l.plan = s.sandbox(config)
	l.session = acpsession.New(acpSpace{l}.options())
	l.calls = l.newCalls()
	l.conn = acpsession.NewConnection(acpSpace{l}.connection())
	l.terminals = l.newTerminals()
	return l
}

// lifecycleMember implements [lifecycle.Member].
type lifecycleMember struct{ *Session }

// New implements [lifecycle.Member].
func (s lifecycleMember) New(stage *lifecycle.Stage[*liveSession]) (*liveSession, error) {
	config, err := s.m.opt.Agent(s.space.AgentID)
	if err != nil {
		return nil, err
	}
	return newLiveSession(s.Session, config, stage), nil
}

// Open implements [lifecycle.Member].
func (s lifecycleMember) Open(l *liveSession) {
	s.w.open(l, func(err error) { s.Step(func() { s.opened(l, err) }) })
}

// opened handles the end of opening a session. The lock is held.
func (s lifecycleMember) opened(l *liveSession, err error) {
	s.desk.Questions.Started(asker{l})
	if l.stage.How().Purpose == lifecycle.ToLoad {
		s.turns.EndReplay()
	}
	l.stage.Opened(err)
}

// Close implements [lifecycle.Member].
func (s lifecycleMember) Close(l *liveSession, how lifecycle.Ending) {
	l.dropped.Store(true)
	s.options.Closed()
	s.desk.Questions.Forget()
	s.Broadcast()
	s.w.close(l, how, func() { s.Step(l.stage.Gone) })
}

// Usable implements [lifecycle.Member].
func (s lifecycleMember) Usable(l *liveSession) bool {
	return !l.replaced && !l.rewrapped() && s.w.wake(l)
}

// Ready implements [lifecycle.Member].
func (s lifecycleMember) Ready(l *liveSession, exclusive bool) {
	if exclusive {
		s.w.markExclusive(l)
	}
	s.offerChanged(l)
}

// Next implements [lifecycle.Member].
func (s lifecycleMember) Next() {
	if s.run == nil {
		s.nextPrompt()
	}
}

// Running implements [lifecycle.Member].
func (s lifecycleMember) Running() bool { return s.run != nil }

// Idle implements [lifecycle.Member].
func (s lifecycleMember) Idle(l *liveSession) (idle []*lifecycle.Stage[*liveSession], again bool) {
	switch {
	case !l.session.CanEnd():
		return nil, false
	case l.terminals.Len() > 0: // one of its commands is still running
		return nil, true
	}
	for _, o := range s.w.idle(l) {
		idle = append(idle, o.stage)
	}
	return idle, len(idle) == 0 // other sessions of its process are busy
}

// Prepare starts the agent of a member ("": the default member) and opens a session, so that its options are known before the
// first prompt. It blocks until then. If ctx ends first and no other caller waits, the start is canceled.
func (ss Sessions) Prepare(ctx context.Context, spaceID, memberID string) error {
	s, err := ss.m.session(ctx, spaceID, memberID)
	if err != nil {
		return err
	}
	s.Lock()
	busy := s.life.Busy()
	s.Unlock()
	if busy {
		return nil // starting or running
	}
	if _, err = s.life.Session(ctx); err != nil {
		return err
	}
	return s.Settled(ctx) // so that the options can be read from the store
}

// Handle implements [acp.Handler]. It blocks while too many events of the space wait to be stored or to be taken by other spaces.
func (l *liveSession) Handle(in *acp.Inbound, more bool) {
	s := l.s
	s.LockUntil(func() bool { return !s.Full() && (s.run == nil || !s.run.elsewhere.Crowded()) || l.dropped.Load() })
	defer s.Unlock()
	if s.life.Live() == l {
		s.Writer = s.turns
		l.fold(in)
	} else if in.Kind == acp.KindRequest {
		agentRequests{l}.refuse(in.Request, acp.CodeInternal, "This connection has ended.")
	}
	s.Pace(more)
}
