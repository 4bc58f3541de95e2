package runs

import (
	"context"
	"maps"
	"slices"
	"sync"

	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/files"
	"weft/backend/space/elsewhere"
	"weft/backend/space/mentions"
	"weft/backend/space/owner"
	"weft/backend/space/promptqueue"
	"weft/backend/space/requests"
	"weft/backend/space/team"
)

// spaceRuntime is the state of a space that the sessions of its members share (decision 0015): its conversation, its
// prompt queue, and pending requests that don't belong to a running agent. No goroutine may hold the locks of two
// spaces.
type spaceRuntime struct {
	m  *Manager
	w  world
	id string // of the space

	*owner.Owner[State]

	sessions map[string]*Session // by member
	leaving  []*Session          // sessions of former members, until they have ended
	space    team.Space          // as last read
	gone     bool
	disk     files.View // what the present step knows of the disk, see withView

	queue     promptqueue.Queue
	displays  displays.Waiting     // displays that wait for an answer
	guests    elsewhere.Guests     // runs of other spaces that write to this one
	kept      []requests.Wait      // displays that have been waiting since before Weft started
	answering sync.Mutex           // serializes answers to kept displays; taken before the lock
	replies   mentions.OpenReplies // runs that wait for any reply in the space, oldest first
}

func newSpaceRuntime(m *Manager, w world, space team.Space, queue promptqueue.Queue, kept []requests.Wait) *spaceRuntime {
	r := &spaceRuntime{m: m, w: w, id: space.ID, space: space, queue: queue, kept: kept, sessions: map[string]*Session{}}
	r.Owner = owner.New(owner.Options[State]{SpaceID: r.id, World: w, Look: r.state, Now: m.opt.Now, OnTrouble: m.opt.OnTrouble, Log: m.opt.Log})
	return r
}

// changed updates the snapshot of the space's state and calls OnChange after the step. The lock is held.
func (r *spaceRuntime) changed() {
	r.Touched()
	r.Effect(func() { r.m.opt.OnChange(r.id) })
}

// runtime returns the runtime of a space, which it creates if necessary. It blocks for a read.
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

// session returns the session of a member ("": the default member), which it creates if necessary. It blocks for a
// read. Error: not_found.
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
		return nil, errNoMember // the member has left or changed its agent meanwhile
	}
	space.Mode = r.space.Mode
	s = newSession(r, space, member, options)
	s.cost = cost
	r.sessions[member.ID] = s
	return s, nil
}

var errNoMember = newError("not_found", "This agent is no longer a member of the space.")

// inOrder returns the sessions in the order of their members. The lock is held.
func (r *spaceRuntime) inOrder() []*Session {
	list := make([]*Session, 0, len(r.sessions))
	for _, m := range r.space.Members {
		if s := r.sessions[m.ID]; s != nil {
			list = append(list, s)
		}
	}
	return list
}

// MembersChanged updates the members of a space. It closes the sessions of members that have left or have another
// agent, and blocks until those sessions have ended.
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
	left := r.setMembers(space)
	r.Unlock()
	for _, s := range left {
		s.close(requests.Stopped)
	}
	return nil
}

// setMembers updates the members of the space. It returns the sessions of members that have left or have another agent,
// which the caller must close. The lock is held.
func (r *spaceRuntime) setMembers(space team.Space) (left []*Session) {
	space.Mode = r.space.Mode
	r.space = space
	for _, id := range slices.Sorted(maps.Keys(r.sessions)) {
		s := r.sessions[id]
		member, found := space.Member(id)
		if found && member.AgentID == s.space.AgentID {
			s.who.Store(&member)
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

// leave ends all sessions of the space for good. why is the resolution of open permission requests. then is carried out
// as an effect once all events are stored; events that can't be stored are dropped. The lock is held.
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

// close is leave, but blocks until then has been carried out. The lock isn't held.
func (r *spaceRuntime) close(why transcript.Resolution) {
	gone := make(chan struct{})
	r.Step(func() { r.leave(why, func() { close(gone) }) })
	<-gone
}

// SetMode sets the permission mode of a space and applies it to open permission requests.
func (m *Manager) SetMode(spaceID string, mode permission.Mode) {
	r := m.spaces.SetMode(spaceID, mode)
	if r == nil {
		return
	}
	r.Lock()
	r.space.Mode = mode
	sessions := r.inOrder()
	for _, s := range sessions {
		s.inbox.Mode.Space = mode
	}
	r.Unlock()
	for _, s := range sessions {
		s.reconsider()
		s.requirementsChanged()
		s.applySandbox()
	}
}

// requirementsChanged updates the requirements for the agent's options and resets options that don't meet them. The
// lock isn't held.
func (s *Session) requirementsChanged() {
	s.Lock()
	l := s.life.Live()
	s.Unlock()
	if l == nil {
		return
	}
	l.updateRequirements()
	s.Step(func() {
		if s.life.Live() == l {
			l.optionsChanged()
		}
	})
}
