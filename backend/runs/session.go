package runs

import (
	"context"
	"sync"
	"time"

	"weft/backend/acp"
	"weft/backend/permission"
	"weft/backend/store"
	"weft/backend/transcript"
)

// The rhythm of commits.
const (
	frame      = 16 * time.Millisecond // the longest that a delta waits
	urgentWait = time.Millisecond      // the longest that anything else waits behind a flood
	flushBytes = 64 << 10              // what is committed at once at the latest
)

// idleAfter is how long an agent that can continue its session later is kept running with
// nothing to do.
const idleAfter = 15 * time.Minute

// Session is what one agent keeps for one space: a conversation, and a process that may serve other sessions, too.
type Session struct {
	m     *Manager
	space Space

	mu        sync.Mutex
	box       transcript.Outbox
	turns     *transcript.Turns
	run       *run
	queue     []QueuedPrompt
	again     *Prompt         // for the run that begins next
	asks      map[string]*ask // open permission requests
	asked     int             // how many there have been
	mode      permission.Mode
	questions map[string]*question // open questions
	displays  map[string]*display  // that wait for an answer here, by request
	kept      []Wait               // displays that wait since before the start, nil if that is not known
	link      *link                // to the running agent, nil if there is none
	gone      bool                 // the session was closed
	fresh     bool                 // the next start is to be in a new process
	loading   bool                 // an earlier session is being replayed into the space
	opening   *opening             // the start of the agent that is under way
	offer     acp.Offer            // what the session offers
	offered   []byte               // what was last told of it
	cost      cost                 // of the session, as last told
	chosen    choices              // what is in force, or to be restored
	methods   []acp.AuthMethod     // how one can sign in, as last told

	places    []Place // where the agent was at, the last one last
	placeTold bool    // it is about to be told

	decisions []store.Decision // about permissions, to be committed with the outbox

	flushed  time.Time // when the last commit ended
	urgentAt time.Time // since when something urgent is waiting, zero if nothing is
	armed    bool      // the frame timer is running
	timer    *time.Timer
	idle     *time.Timer // ends the process of an agent that has had nothing to do for idleAfter
	stuck    stuck
}

// run is a turn in progress.
type run struct {
	id       string
	prompt   string
	parts    []Part
	again    *Prompt // what it continues, for an agent that has forgotten it
	told     *told   // what the agent is told of the conversation, nil if it knows it
	promptID string
	fold     *transcript.Fold
	started  int64 // unix ms
	before   cost  // of the session when the run began
	stopping bool
	prompted bool               // the agent has the prompt
	cancel   context.CancelFunc // gives up starting the agent
	done     chan struct{}      // closed when the run is over
	watchdog *time.Timer
	// elsewhere are the messages of this run in other spaces.
	elsewhere map[string]*composite
}

func newSession(m *Manager, space Space, queue []QueuedPrompt, chosen choices) *Session {
	s := &Session{m: m, space: space, queue: queue, chosen: chosen, asks: map[string]*ask{}, questions: map[string]*question{}, displays: map[string]*display{}, mode: space.Mode}
	s.turns = transcript.NewTurns(&s.box, transcript.Author{Kind: "person"}, transcript.Author{Kind: "agent", ID: space.AgentID},
		func() string { return newID("msg") })
	s.timer = time.AfterFunc(time.Hour, s.onFrame)
	s.timer.Stop()
	s.idle = time.AfterFunc(time.Hour, s.onIdle)
	s.idle.Stop()
	s.stuck.init(s)
	return s
}

func (s *Session) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	waits := s.waits()
	st := State{Waiting: len(waits) > 0, Waits: waits}
	if r := s.run; r != nil {
		st.Run = &RunState{ID: r.id, MessageID: r.fold.ID, AgentID: s.space.AgentID, StartedAt: r.started, Stopping: r.stopping}
	}
	return st
}

// Handle implements acp.Handler for the session's link.
func (l *link) Handle(in *acp.Inbound, more bool) {
	s := l.s
	s.stuck.wait(l)
	s.mu.Lock()
	if s.link == l {
		l.fold(in)
	} else if in.Kind == acp.KindRequest {
		l.answer(in.Request.Error(acp.CodeInternal, "This connection has ended."))
	}
	s.pace(more)
	s.mu.Unlock()
}

// pace commits what has to be committed now and sees to the rest. The mutex is held.
func (s *Session) pace(more bool) {
	if s.box.Empty() {
		return
	}
	now := time.Now()
	switch {
	case s.box.Size() >= flushBytes:
		s.flush()
	case s.box.Urgent():
		if s.urgentAt.IsZero() {
			s.urgentAt = now
		}
		if !more || now.Sub(s.urgentAt) >= urgentWait {
			s.flush()
		}
	case now.Sub(s.flushed) >= frame:
		s.flush()
	default:
		s.arm(frame - now.Sub(s.flushed))
	}
}

func (s *Session) arm(d time.Duration) {
	if !s.armed {
		s.armed = true
		s.timer.Reset(d)
	}
}

func (s *Session) onFrame() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = false
	s.flush()
}

// flush commits what is in the outbox. The mutex is held; it blocks for the commit.
func (s *Session) flush() {
	if s.box.Empty() && len(s.decisions) == 0 {
		return
	}
	s.urgentAt = time.Time{}
	s.stuck.append(s.box.Take(), s.decisions)
	s.decisions = nil
	s.flushed = time.Now()
}

// onIdle ends the process of an agent that has had nothing to do for a while, if it can
// take its sessions up again.
func (s *Session) onIdle() {
	s.mu.Lock()
	l := s.link
	if l != nil && len(l.live) > 0 { // a command of it runs on
		s.idle.Reset(idleAfter)
		s.mu.Unlock()
		return
	}
	if s.run != nil || s.opening != nil || l == nil || !l.unsaid && !l.caps.Capabilities.ResumeSession && !l.caps.Capabilities.LoadSession {
		s.mu.Unlock()
		return
	}
	idle := l.host.rest(l) // with the mutex held: no turn begins meanwhile
	s.mu.Unlock()
	if len(idle) == 0 {
		return // the process serves a session that is in use
	}
	s.m.opt.Log.Info().Str("agent", l.config.ID).Int("spaces", len(idle)).Msg("ended an idle agent")
	for _, l := range idle {
		l.s.mu.Lock()
		if l.s.link == l {
			l.s.link = nil
		}
		l.s.mu.Unlock()
		l.farewell(context.Background())
		l.stop()
	}
}
