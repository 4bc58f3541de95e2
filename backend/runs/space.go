package runs

import (
	"context"
	"maps"
	"slices"
	"sync"

	"weft/backend/displays"
	"weft/backend/elsewhere"
	"weft/backend/mentions"
	"weft/backend/owner"
	"weft/backend/pending"
	"weft/backend/permission"
	"weft/backend/promptqueue"
	"weft/backend/requests"
	"weft/backend/team"
	"weft/backend/transcript"
)

// spaceRuntime is a space as the sessions of its members share it (decision 0015): what is told there and in which order, what waits to be
// told, and what waits for the user without belonging to a running agent. Nobody holds the locks of two spaces.
type spaceRuntime struct {
	m  *Manager
	w  world
	id string // of the space

	*owner.Owner[State]

	sessions map[string]*Session // by member
	leaving  []*Session          // of members that are gone, until these have ended
	space    team.Space          // as it was last read
	gone     bool

	queue     promptqueue.Queue
	displays  displays.Waiting     // that wait for an answer here
	guests    elsewhere.Guests     // runs of other spaces that write here
	kept      []pending.Request    // displays that wait since before the start
	answering sync.Mutex           // one answer to them after the other; taken before the lock
	replies   mentions.OpenReplies // runs that wait for any reply here, the oldest first
}

func newSpaceRuntime(m *Manager, w world, space team.Space, queue promptqueue.Queue, kept []pending.Request) *spaceRuntime {
	r := &spaceRuntime{m: m, w: w, id: space.ID, space: space, queue: queue, kept: kept, sessions: map[string]*Session{}}
	r.Owner = owner.New(owner.Options[State]{SpaceID: r.id, World: w, Look: r.state, Now: m.opt.Now, OnTrouble: m.opt.OnTrouble, Log: m.opt.Log})
	return r
}

// changed notes that what the space is doing has changed, and has that told. The lock is held.
func (r *spaceRuntime) changed() {
	r.Touched()
	r.Effect(func() { r.m.opt.OnChange(r.id) })
}

// runtime returns the runtime of a space, making it if need be. It blocks for a read.
func (m *Manager) runtime(ctx context.Context, spaceID string) (*spaceRuntime, error) {
	r, found, err := m.spaces.Begin(spaceID)
	if found || err != nil {
		return r, err
	}
	defer m.spaces.End(spaceID)
	space, err := m.opt.Space(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	was, err := m.saved.State(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	queue, err := was.Queue(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := m.saved.Displays(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	return m.spaces.Add(spaceID, func(mode *permission.Mode) *spaceRuntime {
		if mode != nil {
			space.Mode = *mode // set after the space was read
		}
		return newSpaceRuntime(m, newOutside(m), space, queue, kept)
	})
}

// session returns the session of a member, making it if need be; "" is the default member of the space. It blocks for a read. Error: not_found.
func (m *Manager) session(ctx context.Context, spaceID, memberID string) (*Session, error) {
	r, err := m.runtime(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	return r.memberSession(ctx, memberID)
}

func (r *spaceRuntime) memberSession(ctx context.Context, memberID string) (*Session, error) {
	r.Lock()
	member, found := r.space.Member(memberID)
	s := r.sessions[member.ID]
	space := r.space
	r.Unlock()
	if !found {
		return nil, errNoMember
	}
	if s != nil {
		return s, nil
	}
	was, err := r.m.saved.State(ctx, r.id)
	if err != nil {
		return nil, err
	}
	options, err := was.Options(ctx, member.ID, member.AgentID)
	if err != nil {
		return nil, err
	}
	cost, err := was.Cost(ctx, member.ID)
	if err != nil {
		return nil, err
	}
	r.Lock()
	defer r.Unlock()
	if s := r.sessions[member.ID]; s != nil {
		return s, nil
	}
	if r.gone {
		return nil, owner.ErrClosing
	}
	if now, found := r.space.Member(member.ID); !found || now.AgentID != member.AgentID {
		return nil, errNoMember // it has left, or was given another agent, meanwhile
	}
	space.Mode = r.space.Mode
	s = newSession(r, space, member, options)
	s.cost = cost
	r.sessions[member.ID] = s
	return s, nil
}

var errNoMember = newError("not_found", "This agent is no longer a member of the space.")

// inOrder is the sessions in the order in which their members came. The lock is held.
func (r *spaceRuntime) inOrder() []*Session {
	list := make([]*Session, 0, len(r.sessions))
	for _, m := range r.space.Members {
		if s := r.sessions[m.ID]; s != nil {
			list = append(list, s)
		}
	}
	return list
}

// MembersChanged takes over who is in a space. The sessions of those that are gone, or have another agent, are closed: it blocks until
// their processes have ended.
func (m *Manager) MembersChanged(ctx context.Context, spaceID string) error {
	r := m.open(spaceID)
	if r == nil {
		return nil
	}
	space, err := m.opt.Space(ctx, spaceID)
	if err != nil {
		return err
	}
	r.Lock()
	left := r.membersAre(space)
	r.Unlock()
	for _, s := range left {
		s.close(requests.Stopped)
	}
	return nil
}

// membersAre takes over who is in a space, and returns the sessions of those that are gone, or have another agent: they are to be left. The lock is held.
func (r *spaceRuntime) membersAre(space team.Space) (left []*Session) {
	space.Mode = r.space.Mode
	r.space = space
	for _, id := range slices.Sorted(maps.Keys(r.sessions)) {
		s := r.sessions[id]
		member, found := space.Member(id)
		if found && member.AgentID == s.space.AgentID {
			s.member = member
			s.turns.Agent = s.author()
			continue
		}
		left = append(left, s)
		delete(r.sessions, id)
		r.unqueue(id)
	}
	r.leaving = append(r.leaving, left...)
	r.changed()
	return left
}

// leave ends the sessions of a space for good, and what is told in it; why is what becomes of open permission requests. then is an effect once all is
// stored that can be: what the store doesn't take by then is given up. The lock is held.
func (r *spaceRuntime) leave(why transcript.Resolution, then func()) {
	r.gone = true
	r.Touched()
	for _, reply := range r.queue.Abandon() {
		r.Effect(func() { reply.Give("", errNoMember) })
	}
	left := 1
	one := func() {
		if left--; left == 0 {
			r.Finish(then)
		}
	}
	for _, s := range append(r.inOrder(), r.leaving...) {
		left++
		s.leave(why, func() { r.Step(one) })
	}
	one()
}

// close is leave, and blocks until that is over.
func (r *spaceRuntime) close(why transcript.Resolution) {
	gone := make(chan struct{})
	r.Step(func() { r.leave(why, func() { close(gone) }) })
	<-gone
}

// SetMode changes how a space deals with permission requests, and holds the open ones against it.
func (m *Manager) SetMode(spaceID string, mode permission.Mode) {
	r := m.spaces.SetMode(spaceID, mode)
	if r == nil {
		return
	}
	r.Lock()
	r.space.Mode = mode
	sessions := r.inOrder()
	for _, s := range sessions {
		s.desk.Mode.Space = mode
	}
	r.Unlock()
	for _, s := range sessions {
		s.Step(func() { s.desk.Permissions.Reconsider() })
		s.required()
		s.refit()
	}
}

// required follows when what the space needs of its agents may have changed. The lock isn't held.
func (s *Session) required() {
	s.Lock()
	l := s.life.Live()
	s.Unlock()
	if l == nil {
		return
	}
	l.require()
	s.Step(func() {
		if s.life.Live() == l {
			l.optionsChanged()
		}
	})
}
