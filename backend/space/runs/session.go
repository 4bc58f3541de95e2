package runs

import (
	"context"
	"sync/atomic"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agent/agentauth"
	"weft/backend/base/fault"
	"weft/backend/conversation/follow"
	"weft/backend/conversation/transcript"
	"weft/backend/llm/usage"
	"weft/backend/space/acpsession"
	"weft/backend/space/lifecycle"
	"weft/backend/space/prompt"
	"weft/backend/space/requests"
	"weft/backend/space/sessionoptions"
	"weft/backend/space/team"
)

// Session is the session of one member: its conversation in the space and its connection to an agent process, which may
// have other sessions.
type Session struct {
	*spaceRuntime

	space team.Space                  // with the agent of the member; its members are in the runtime's
	who   atomic.Pointer[team.Member] // replaced under the lock of the space; calls at the gateway read it without

	// Under the lock of the space.
	life    *lifecycle.Machine[*liveSession]
	turns   *transcript.Turns
	run     *run
	last    *run                   // the run that ended last; may be nil
	again   *prompt.Said           // last message to repeat in the next prompt, after Restart
	inbox   *requests.Inbox        // pending requests to the user, and the permission mode
	options sessionoptions.Options // the session's options and the chosen values
	cost    usage.Cost             // the session's cost as last reported
	signIns agentauth.Known        // known sign-in methods
	tried   acpsession.Tried       // failed attempts to continue a session
	without fault.Said             // last note about refused MCP servers

	trail follow.Trail // the agent's locations
}

func newSession(r *spaceRuntime, space team.Space, member team.Member, options sessionoptions.Options) *Session {
	space.AgentID = member.AgentID
	s := &Session{spaceRuntime: r, space: space, options: options}
	s.who.Store(&member)
	s.turns = transcript.NewTurns(&r.Box, transcript.Author{Kind: "person"}, s.author(), func() string { return r.w.newID("msg") })
	s.life = lifecycle.New[*liveSession](s, lifecycleMember{s})
	s.inbox = newInbox(s)
	return s
}

// member returns the member as it is known now. It must not be changed.
func (s *Session) member() *team.Member { return s.who.Load() }

// author returns the author of the session's messages.
func (s *Session) author() transcript.Author {
	return transcript.Author{Kind: "agent", ID: s.space.AgentID, Name: s.member().Name, MemberID: transcript.MemberField(s.member().ID)}
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
	s.perform(openSession{l, s.life.Fresh()})
}

// Close implements [lifecycle.Member].
func (s lifecycleMember) Close(l *liveSession, how lifecycle.Ending) {
	l.dropped.Store(true)
	s.options.Closed()
	s.inbox.Questions.Forget()
	s.Broadcast()
	s.perform(closeSession{l, how})
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

// Prepare starts the agent of a member ("": the default member) and opens a session, so that its options are known
// before the first prompt. It blocks until then. If ctx ends first and no other caller waits, the start is canceled.
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

// Handle implements [acp.Handler]. It blocks while too many events of the space wait to be stored or to be taken by
// other spaces.
func (l *liveSession) Handle(in *acp.Inbound, more bool) {
	s := l.s
	s.LockUntil(func() bool { return !s.Full() && (s.run == nil || !s.run.elsewhere.Crowded()) || l.dropped.Load() })
	defer s.Unlock()
	item := fromAgent{l: l, item: in}
	if look := l.look(in); look != nil {
		item.files = l.await(func(w *waiting) effect { return readFiles{l, look, w} }).files
	}
	if calls := l.foresee(in, item.files); len(calls) > 0 {
		item.links = l.await(func(w *waiting) effect { return findLinks{l, calls, w} }).links
	}
	item.step()
	s.Pace(more)
}
