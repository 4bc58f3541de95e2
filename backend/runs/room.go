package runs

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"weft/backend/permission"
	"weft/backend/store"
	"weft/backend/transcript"
)

// room is a space as the sessions of its members share it (decision 0015): what is told there and in which order, what waits to be
// told, and what waits for the person without belonging to a running agent. Nobody holds the mutexes of two rooms.
type room struct {
	m  *Manager
	id string // of the space

	mu    sync.Mutex
	box   transcript.Outbox
	seats map[string]*Session // by member
	space Space               // as it was last read
	gone  bool

	queue     []QueuedPrompt
	displays  map[string]*display // that wait for an answer here, by request
	guests    map[string]*guest   // runs of other spaces that write here, by run
	kept      []Wait              // displays that wait since before the start, nil if that is not known
	answering sync.Mutex          // one answer to them after the other; taken before mu
	replies   []*openReply        // runs that wait for any reply here, the oldest first
	decisions []store.Decision    // about permissions, to be committed with the outbox
	writer    *transcript.Turns   // of the seat that has written last

	flushed  time.Time // when the last commit ended
	urgentAt time.Time // since when something urgent is waiting, zero if nothing is
	armed    bool      // the frame timer is running
	timer    *time.Timer
	stuck    stuck
}

func newRoom(m *Manager, space Space, queue []QueuedPrompt) *room {
	r := &room{m: m, id: space.ID, space: space, queue: queue, seats: map[string]*Session{}, displays: map[string]*display{}, guests: map[string]*guest{}}
	r.timer = time.AfterFunc(time.Hour, r.onFrame)
	r.timer.Stop()
	r.stuck.init(r)
	return r
}

// room answers the room of a space, making it if need be. It blocks for a read.
func (m *Manager) room(ctx context.Context, spaceID string) (*room, error) {
	m.mu.Lock()
	r, closed := m.rooms[spaceID], m.closed
	m.mu.Unlock()
	if r != nil {
		return r, nil
	}
	if closed {
		return nil, &Error{Code: "closing", Message: "Weft is closing."}
	}
	space, err := m.opt.Space(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	snap, err := m.opt.Store.Snapshot(ctx, spaceID, 1) // for the space's state
	if err != nil {
		return nil, err
	}
	queue, err := m.storedQueue(ctx, spaceID, snap)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.rooms[spaceID]; r != nil {
		return r, nil
	}
	if mode, ok := m.modes[spaceID]; ok {
		space.Mode = mode // set after the space was read
	}
	r = newRoom(m, space, queue)
	m.rooms[spaceID] = r
	delete(m.recalled, spaceID)
	return r, nil
}

// session answers the session of a member, making it if need be; "" is the default member of the space. It blocks for a read. Error: not_found.
func (m *Manager) session(ctx context.Context, spaceID, memberID string) (*Session, error) {
	r, err := m.room(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	return r.seat(ctx, memberID)
}

func (r *room) seat(ctx context.Context, memberID string) (*Session, error) {
	r.mu.Lock()
	member, found := r.space.Member(memberID)
	s := r.seats[member.ID]
	space := r.space
	r.mu.Unlock()
	if !found {
		return nil, errNoMember
	}
	if s != nil {
		return s, nil
	}
	snap, err := r.m.opt.Store.Snapshot(ctx, r.id, 1)
	if err != nil {
		return nil, err
	}
	offered, chosen, picked, err := r.m.storedOffer(ctx, member, snap)
	if err != nil {
		return nil, err
	}
	usage, err := r.m.stored(ctx, snap, transcript.StateUsage.Of(member.ID))
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.seats[member.ID]; s != nil {
		return s, nil
	}
	if r.gone {
		return nil, errClosing
	}
	space.Mode = r.space.Mode
	s = newSession(r, space, member, chosen, picked)
	s.cost, s.offered = costOf(usage), offered
	r.seats[member.ID] = s
	return s, nil
}

var errNoMember = &Error{Code: "not_found", Message: "This agent is not a member of the space any more."}

// known answers the session of a member if there is one; "" is the default member.
func (m *Manager) known(spaceID, memberID string) *Session {
	r := m.open(spaceID)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	member, _ := r.space.Member(memberID)
	return r.seats[member.ID]
}

// open answers the room of a space if there is one.
func (m *Manager) open(spaceID string) *room {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rooms[spaceID]
}

// here answers the sessions of a space that there are, in the order in which their members came.
func (m *Manager) here(spaceID string) []*Session {
	r := m.open(spaceID)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inOrder()
}

// inOrder is the seats in the order in which their members came. The mutex is held.
func (r *room) inOrder() []*Session {
	list := make([]*Session, 0, len(r.seats))
	for _, m := range r.space.Members {
		if s := r.seats[m.ID]; s != nil {
			list = append(list, s)
		}
	}
	for id, s := range r.seats { // those that are leaving
		if _, found := r.space.Member(id); !found {
			list = append(list, s)
		}
	}
	return list
}

// all answers the sessions of all spaces, in no order.
func (m *Manager) all() []*Session {
	m.mu.Lock()
	rooms := slices.Collect(maps.Values(m.rooms))
	m.mu.Unlock()
	var list []*Session
	for _, r := range rooms {
		r.mu.Lock()
		list = append(list, slices.Collect(maps.Values(r.seats))...)
		r.mu.Unlock()
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
	var left []*Session
	r.mu.Lock()
	space.Mode = r.space.Mode
	r.space = space
	for id, s := range r.seats {
		member, found := space.Member(id)
		if found && member.AgentID == s.space.AgentID {
			s.member = member
			s.turns.Agent = s.author()
			continue
		}
		left = append(left, s)
		delete(r.seats, id)
		r.unqueue(id)
	}
	r.mu.Unlock()
	for _, s := range left {
		if err := s.close(ctx, stopped); err != nil {
			return err
		}
	}
	m.opt.OnChange(spaceID)
	return nil
}

// close ends the sessions of a space for good, and what is told in it; why is what becomes of open permission requests.
func (r *room) close(ctx context.Context, why transcript.Resolution) error {
	r.mu.Lock()
	r.gone = true
	seats := r.inOrder()
	r.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range seats {
		wg.Go(func() { _ = s.close(ctx, why) })
	}
	wg.Wait()
	r.mu.Lock()
	r.timer.Stop()
	r.flush()
	r.mu.Unlock()
	r.stuck.end()
	return nil
}

// pace commits what has to be committed now and sees to the rest. The mutex is held.
func (r *room) pace(more bool) {
	if r.box.Empty() {
		return
	}
	now := time.Now()
	switch {
	case r.box.Size() >= flushBytes:
		r.flush()
	case r.box.Urgent():
		if r.urgentAt.IsZero() {
			r.urgentAt = now
		}
		if !more || now.Sub(r.urgentAt) >= urgentWait {
			r.flush()
		}
	case now.Sub(r.flushed) >= frame:
		r.flush()
	default:
		r.arm(frame - now.Sub(r.flushed))
	}
}

func (r *room) arm(d time.Duration) {
	if !r.armed {
		r.armed = true
		r.timer.Reset(d)
	}
}

func (r *room) onFrame() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.armed = false
	r.flush()
}

// saved commits what is in the outbox, and returns why something of the room can't be stored, nil if all is. What the
// user does is refused then, before anything has changed: it could be lost. The mutex is held; it blocks for the commit.
func (r *room) saved() error {
	r.flush()
	return notSaved(r.stuck.trouble())
}

// ready is [room.saved] for what can't be taken back once it has changed, such as the end of a request: it also makes sure
// that the store takes something. The mutex is held; it blocks for the commits.
func (r *room) ready() error {
	if err := r.saved(); err != nil {
		return err
	}
	return notSaved(r.m.opt.Store.SetMeta(context.Background(), "writable", strconv.FormatInt(r.m.now(), 10)))
}

// answerSaved commits an answer of the user, and returns an error where the disk has become full since [room.ready]: the
// answer is kept, the agent is told once it is stored, and both are lost when the app ends before. The mutex is held.
func (r *room) answerSaved() error {
	r.flush()
	var own *store.Error
	if !errors.As(r.stuck.trouble(), &own) {
		return nil
	}
	return &Error{Code: own.Code, Err: own, Message: "Couldn't save your answer yet, so the agent wasn't told. Weft tries again every second. " + own.Message}
}

// save commits what is in the outbox. Where that can't be stored, it is taken out of the outbox, for the caller to take
// back what it has changed. Before it changes anything, it calls [room.saved]. The mutex is held; it blocks for the commit.
func (r *room) save() error {
	r.urgentAt = time.Time{}
	err := r.stuck.now(r.box.Take())
	r.flushed = time.Now()
	return notSaved(err)
}

// notSaved makes a sentence about what the user did.
func notSaved(err error) error {
	var own *store.Error
	if !errors.As(err, &own) {
		return err
	}
	return &Error{Code: own.Code, Message: "Couldn't save this, so nothing was sent or changed. " + own.Message, Err: err}
}

// flush commits what is in the outbox. The mutex is held; it blocks for the commit.
func (r *room) flush() {
	if r.box.Empty() && len(r.decisions) == 0 {
		return
	}
	r.urgentAt = time.Time{}
	r.stuck.append(r.box.Take(), r.decisions)
	r.decisions = nil
	r.flushed = time.Now()
}

// SetMode changes how a space deals with permission requests, and holds the open ones against it.
func (m *Manager) SetMode(spaceID string, mode permission.Mode) {
	m.mu.Lock()
	m.modes[spaceID] = mode
	r := m.rooms[spaceID]
	m.mu.Unlock()
	if r == nil {
		return
	}
	r.mu.Lock()
	r.space.Mode = mode
	seats := r.inOrder()
	for _, s := range seats {
		s.mode = mode
	}
	r.mu.Unlock()
	for _, s := range seats {
		s.reconsider()
		s.refit()
	}
}
