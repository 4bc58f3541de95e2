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

// Session is what one member keeps for its space: a conversation, and a process that may serve other sessions, too.
type Session struct {
	*spaceRuntime

	space  team.Space // with the agent of the member; its members are in the runtime's
	member team.Member

	// Under the lock of the space.
	life    *lifecycle.Machine[*liveSession]
	turns   *transcript.Turns
	run     *run
	last    *run                   // that has ended last, nil if none has
	again   *prompt.Said           // for the run that begins next
	desk    *asking.Desk           // what the user is asked, and in which mode
	options sessionoptions.Options // what the session offers, and what is chosen of it
	cost    usage.Cost             // of the session, as last told
	signIns agentauth.Known        // the ways to sign in, as last told
	tried   acpsession.Tried       // which session the agent could not continue
	without fault.Said             // which MCP servers it has refused, as last told

	trail follow.Trail // of the agent
}

func newSession(r *spaceRuntime, space team.Space, member team.Member, options sessionoptions.Options) *Session {
	space.AgentID = member.AgentID
	s := &Session{spaceRuntime: r, space: space, member: member, options: options}
	s.turns = transcript.NewTurns(&r.Box, transcript.Author{Kind: "person"}, s.author(), func() string { return r.w.newID("msg") })
	s.life = lifecycle.New[*liveSession](s, lifecycleMember{s})
	s.desk = newDesk(s)
	return s
}

// author is who writes the messages of the session.
func (s *Session) author() transcript.Author {
	return transcript.Author{Kind: "agent", ID: s.space.AgentID, Name: s.member.Name, MemberID: transcript.MemberField(s.member.ID)}
}

// newLiveSession makes a session that is not there yet.
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

// opened takes the end of an opening. The lock is held.
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
	case l.terminals.Len() > 0: // a command of it runs on
		return nil, true
	}
	for _, o := range s.w.idle(l) {
		idle = append(idle, o.stage)
	}
	return idle, len(idle) == 0 // others of its process are at work
}

// Prepare starts the agent of a member ("": the default member) and opens a session, so that it can tell what it offers before
// the first prompt. It blocks until then; if ctx ends first and nobody else waits, the start is given up.
func (ss Sessions) Prepare(ctx context.Context, spaceID, memberID string) error {
	s, err := ss.m.session(ctx, spaceID, memberID)
	if err != nil {
		return err
	}
	s.Lock()
	busy := s.life.Busy()
	s.Unlock()
	if busy {
		return nil // it is being started, or runs
	}
	if _, err = s.life.Session(ctx); err != nil {
		return err
	}
	return s.Settled(ctx) // so that what it offers can be read
}

// Handle implements acp.Handler for a session. It waits while too much of the space waits to be stored, or to be taken by other spaces.
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
