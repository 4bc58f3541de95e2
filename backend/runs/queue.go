package runs

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"weft/backend/mentions"
	"weft/backend/owner"
	"weft/backend/permission"
	"weft/backend/store/pages"
	"weft/backend/transcript"
)

// QueuedPrompt is what a run is started with. It waits in the space's queue until the turn of its member has ended.
type QueuedPrompt struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Parts []Part `json:"parts,omitempty"`
	At    int64  `json:"at"` // unix ms
	// MemberID is who is asked.
	MemberID string `json:"memberId"`
	// Said is the message that holds the words already, "" where they become one.
	Said string `json:"said"`
	// From is the member that asks, by its name; "" is the user.
	From string `json:"from"`
	// Group is the same for what the user said once to several members; one message comes of it.
	Group string `json:"group,omitzero"`
	// Limit is the mode of the one that asks, where its own space or run is limited to it; "" is no limit. See [asking.Mode].
	Limit permission.Mode `json:"limit,omitzero"`

	budget *mentions.Budget      // of the prompt that it comes of; nil: it is that of the user. It ends with the app
	depth  int                   // how many mentions have led to it
	reply  *mentions.ReplyWaiter // who waits for what comes of it, nil if nobody does
}

// storedQueue reads the queue that the app's last session left.
func (m *Manager) storedQueue(ctx context.Context, spaceID string, snap *pages.Snapshot) ([]QueuedPrompt, error) {
	raw, err := m.stored(ctx, snap, transcript.StateQueue)
	if err != nil || raw == nil {
		return nil, err
	}
	var queue []QueuedPrompt
	if err := json.Unmarshal(raw, &queue); err != nil {
		m.opt.Log.Warn().Err(err).Str("space", spaceID).Msg("the stored queue cannot be read")
		return nil, nil
	}
	for i := range queue {
		if queue[i].MemberID == "" {
			queue[i].MemberID = transcript.MainMember
		}
	}
	return queue, nil
}

// stored returns a part of a space's state as it was last told, nil if it never was.
func (m *Manager) stored(ctx context.Context, snap *pages.Snapshot, key transcript.StateKey) ([]byte, error) {
	if ref := snap.StateRefs[string(key)]; ref != nil {
		raw, _, err := m.opt.Store.Blobs.Bytes(ctx, ref.Hash)
		return raw, err
	}
	return snap.State[string(key)], nil
}

// line adds a prompt for a member to the queue. The lock is held.
func (r *room) line(memberID string, q QueuedPrompt) string {
	q.ID, q.At, q.MemberID = r.newID("queued"), r.m.now(), memberID
	r.queue = append(slices.Clone(r.queue), q)
	r.noteQueue()
	return q.ID
}

func (r *room) queueChanged() {
	r.noteQueue()
	r.Flush()
}

// noteQueue puts the queue into the outbox.
func (r *room) noteQueue() {
	queue := r.queue
	if queue == nil {
		queue = []QueuedPrompt{}
	}
	raw, err := json.Marshal(queue)
	if err != nil {
		r.m.opt.Log.Error().Err(err).Msg("the queue cannot be written")
		return
	}
	r.Box.SetState(transcript.StateQueue, "", raw)
}

// nextPrompt sends the first prompt that waits for the session's member. The lock is held and no run of it is in progress.
func (s *Session) nextPrompt() {
	if i := slices.IndexFunc(s.queue, func(q QueuedPrompt) bool { return q.MemberID == s.member.ID }); i >= 0 {
		s.beginQueued(i)
	}
}

// beginQueued begins a run with a prompt of the queue.
func (s *Session) beginQueued(i int) {
	start, _ := s.prepareQueued(i)
	s.Flush()
	s.Afterwards(start)
}

// prepareQueued is prepare for a prompt of the queue. The lock is held.
func (s *Session) prepareQueued(i int) (start, undo func()) {
	was, takeBack := s.queue, s.mark()
	q := was[i]
	s.queue = slices.Delete(slices.Clone(was), i, i+1)
	id, begin, unbegin := s.prepare(q)
	for k := range s.queue { // the others are asked the same
		if q.Group != "" && s.queue[k].Group == q.Group {
			s.queue[k].Said = id
		}
	}
	s.noteQueue()
	s.changed()
	return begin, both(unbegin, takeBack)
}

// unqueue takes what waits for a member out of the queue. The lock is held.
func (r *room) unqueue(memberID string) {
	n := len(r.queue)
	r.queue = slices.DeleteFunc(slices.Clone(r.queue), func(q QueuedPrompt) bool {
		if q.MemberID == memberID {
			q.reply.Give("", errNoMember)
		}
		return q.MemberID == memberID
	})
	if len(r.queue) != n {
		r.queueChanged()
	}
}

// EditQueued changes a waiting prompt, or removes it if text is empty. Errors: not_found
// where it has been sent already, invalid where its words stand in the conversation.
func (m *Manager) EditQueued(ctx context.Context, spaceID, promptID, text string) error {
	r, err := m.room(ctx, spaceID)
	if err != nil {
		return err
	}
	return r.Do(owner.Command{Change: func() (then, undo func(), err error) { return r.edit(promptID, text) }})
}

// edit is [Manager.EditQueued] with the lock.
func (r *room) edit(promptID, text string) (then, undo func(), err error) {
	i := slices.IndexFunc(r.queue, func(q QueuedPrompt) bool { return q.ID == promptID })
	if i < 0 {
		return nil, nil, errSent
	}
	q, was := r.queue[i], r.queue
	r.queue = slices.Clone(r.queue)
	switch {
	case text == "":
		r.queue = slices.Delete(r.queue, i, i+1)
	case q.Said != "":
		r.queue = was
		return nil, nil, &Error{Code: "invalid", Message: "It stands in the conversation already, so it cannot be changed any more. It can be removed from the queue."}
	default:
		for k := range r.queue {
			if k == i || q.Group != "" && r.queue[k].Group == q.Group {
				r.queue[k].Text = text
			}
		}
	}
	r.noteQueue()
	then = func() {
		if text == "" {
			q.reply.Give("", &Error{Code: "cancelled", Message: "The user took it out of the queue, so there will be no reply."})
		}
	}
	return then, func() { r.queue = was }, nil
}

var errSent = &Error{Code: "not_found", Message: "This prompt was sent already."}

// SendQueued sends a waiting prompt now. Errors: busy while a turn of its member is in progress, not_found.
func (m *Manager) SendQueued(ctx context.Context, spaceID, promptID string) error {
	r, err := m.room(ctx, spaceID)
	if err != nil {
		return err
	}
	r.Lock()
	i := slices.IndexFunc(r.queue, func(q QueuedPrompt) bool { return q.ID == promptID })
	member := ""
	if i >= 0 {
		member = r.queue[i].MemberID
	}
	r.Unlock()
	if i < 0 {
		return errSent
	}
	s, err := r.seat(ctx, member)
	if err != nil {
		return err
	}
	return r.Do(owner.Command{Change: func() (then, undo func(), err error) {
		i := slices.IndexFunc(s.queue, func(q QueuedPrompt) bool { return q.ID == promptID })
		switch {
		case s.left || s.gone:
			return nil, nil, owner.ErrClosing
		case s.busy():
			return nil, nil, &Error{Code: "busy", Message: "The agent is still working."}
		case i < 0:
			return nil, nil, errSent
		}
		then, undo = s.prepareQueued(i)
		return then, undo, nil
	}})
}
