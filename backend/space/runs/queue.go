package runs

import (
	"context"

	"weft/backend/conversation/transcript"
	"weft/backend/space/owner"
	"weft/backend/space/promptqueue"
)

// enqueue adds a prompt for a member to the queue and returns the id of the entry. The lock is held.
func (r *spaceRuntime) enqueue(memberID string, q promptqueue.Prompt) string {
	q.ID, q.At, q.MemberID = r.w.newID("queued"), r.m.now(), memberID
	r.queue.Add(q)
	r.noteQueue()
	return q.ID
}

// noteQueue publishes the queue. The lock is held.
func (r *spaceRuntime) noteQueue() {
	raw, err := r.queue.Encode()
	if err != nil {
		r.m.opt.Log.Error().Err(err).Msg("couldn't encode the queue")
		return
	}
	r.Box.SetState(transcript.StateQueue, "", raw)
}

// nextPrompt sends the member's first queued prompt. The lock is held, and the member has no run in progress.
func (s *Session) nextPrompt() {
	if q, ok := s.queue.Next(s.member().ID); ok {
		start, _ := s.prepareQueued(q)
		s.Flush()
		s.Afterwards(start)
	}
}

// prepareQueued is prepare for a queued prompt. The lock is held.
func (s *Session) prepareQueued(q promptqueue.Prompt) (start, undo func()) {
	takeBack := s.mark()
	s.queue.Remove(q.ID)
	if q.Held {
		s.queue.Resume(s.member().ID)
	}
	id, begin, unbegin := s.prepare(q)
	s.queue.Said(q, id)
	s.noteQueue()
	s.changed()
	return begin, both(unbegin, takeBack)
}

// unqueue removes a member's prompts from the queue. The lock is held.
func (r *spaceRuntime) unqueue(memberID string) {
	removed := r.queue.RemoveMember(memberID)
	for _, q := range removed {
		q.Reply.Give("", errNoMember)
	}
	if len(removed) > 0 {
		r.noteQueue()
		r.Flush()
	}
}

// EditQueued changes a queued prompt, or removes it if text is empty. Errors: not_found if it was sent, invalid if its
// text is already in the conversation.
func (ps Prompts) EditQueued(ctx context.Context, spaceID, promptID, text string) error {
	return ps.changeQueue(ctx, spaceID, promptqueue.Editing(promptID, text))
}

// MoveQueued moves a queued prompt before another one, or to the end if before is "". Errors: not_found if it was sent,
// changed if the other one was.
func (ps Prompts) MoveQueued(ctx context.Context, spaceID, promptID, before string) error {
	return ps.changeQueue(ctx, spaceID, promptqueue.Moving(promptID, before))
}

func (ps Prompts) changeQueue(ctx context.Context, spaceID string, change promptqueue.Change) error {
	r, err := ps.m.runtime(ctx, spaceID)
	if err != nil {
		return err
	}
	return r.Do(owner.Command{Change: func() (then, undo func(), err error) { return r.changeQueue(change) }})
}

// changeQueue applies a change to the queue. The lock is held.
func (r *spaceRuntime) changeQueue(change promptqueue.Change) (then, undo func(), err error) {
	was := r.queue
	if then, err = change(&r.queue); err != nil {
		return nil, nil, err
	}
	r.noteQueue()
	return then, func() { r.queue = was }, nil
}

// SendQueued sends a queued prompt now; the member's other prompts follow it. During a turn, it instead resumes the
// member's prompts that Stop has held, so that they are sent after the turn. Errors: busy if a turn is in progress and
// the prompt isn't held, not_found.
func (ps Prompts) SendQueued(ctx context.Context, spaceID, promptID string) error {
	r, err := ps.m.runtime(ctx, spaceID)
	if err != nil {
		return err
	}
	r.Lock()
	q, ok := r.queue.Find(promptID)
	r.Unlock()
	if !ok {
		return promptqueue.ErrSent
	}
	s, err := r.memberSession(ctx, q.MemberID)
	if err != nil {
		return err
	}
	return r.Do(s.sendingQueued(promptID))
}

// sendingQueued returns the command that sends a queued prompt.
func (s *Session) sendingQueued(promptID string) owner.Command {
	return owner.Command{Change: func() (then, undo func(), err error) {
		q, ok := s.queue.Find(promptID)
		switch {
		case s.life.Left() || s.gone:
			return nil, nil, owner.ErrClosing
		case s.life.Busy() && !q.Held:
			return nil, nil, newError("busy", "The agent is still working.")
		case !ok:
			return nil, nil, promptqueue.ErrSent
		case s.life.Busy():
			return s.changeQueue(promptqueue.Resuming(q.MemberID))
		}
		then, undo = s.prepareQueued(q)
		return then, undo, nil
	}}
}
