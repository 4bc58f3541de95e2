package runs

import (
	"context"
	"sync"

	"weft/backend/transcript"
)

// composite is the message of a run in another space than its own: one for each that it adds to (decision 0014). What is to be
// added waits in order and is added by one goroutine at a time, so that nobody holds the mutexes of two sessions.
type composite struct {
	m      *Manager
	space  string
	runID  string
	author transcript.Author
	guest  guest

	mu     sync.Mutex
	todo   []step
	moving bool
	failed error

	target *room
	fold   *transcript.Fold // with the mutex of target
}

// step is one thing to add. Neighbouring texts become one.
type step struct {
	text string
	part string // of which text; another one is a segment of its own
	call string // by which the agent sends it, "" if that is not known
	do   func(r *room, f *transcript.Fold)
	done chan struct{} // closed when it was added, or could not be
}

// add adds a step behind those that wait. It does not block.
func (c *composite) add(s step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.todo); n > 0 && s.do == nil && c.todo[n-1].do == nil && s.done == nil && c.todo[n-1].done == nil && c.todo[n-1].part == s.part {
		c.todo[n-1].text += s.text
	} else {
		c.todo = append(c.todo, s)
	}
	if !c.moving {
		c.moving = true
		c.m.tasks.Go(c.move)
	}
}

// now adds a step and waits until it is committed, or could not be.
func (c *composite) now(ctx context.Context, do func(r *room, f *transcript.Fold)) error {
	done := make(chan struct{})
	c.add(step{do: do, done: done})
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// move adds what waits, until nothing does.
func (c *composite) move() {
	for {
		c.mu.Lock()
		todo := c.todo
		c.todo = nil
		if len(todo) == 0 {
			c.moving = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		if err := c.write(todo); err != nil {
			c.mu.Lock()
			c.failed = err
			c.mu.Unlock()
		}
		for _, s := range todo {
			if s.done != nil {
				close(s.done)
			}
		}
	}
}

func (c *composite) write(todo []step) error {
	c.mu.Lock()
	r := c.target
	c.mu.Unlock()
	if r == nil {
		var err error
		if r, err = c.m.room(context.Background(), c.space); err != nil {
			return err
		}
		c.mu.Lock()
		c.target = r
		c.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return errClosing
	}
	if c.fold == nil {
		r.welcome(&c.guest)
		c.fold = transcript.NewFold(&r.box, transcript.MessageStart{MessageID: newID("msg"), RunID: c.runID, Role: transcript.RoleAgent, Author: c.author})
		r.guests[c.runID].fold = c.fold
	}
	waits := false
	for _, st := range todo {
		if st.do != nil {
			st.do(r, c.fold)
		} else {
			c.fold.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: st.text, MessageID: st.part, Apart: true, Via: st.call}, c.m.now())
		}
		waits = waits || st.done != nil
	}
	if waits {
		r.flush()
	} else {
		r.pace(false)
	}
	return nil
}

// in answers the run's message in another space, where its agent is that member. The mutex of the run's room is held.
func (r *run) in(s *Session, spaceID string, as Member) *composite {
	if c := r.elsewhere[spaceID]; c != nil {
		return c
	}
	author := s.author()
	author.Name, author.MemberID = as.Name, transcript.MemberField(as.ID)
	c := &composite{m: s.m, space: spaceID, runID: r.id, author: author, guest: guest{of: r, home: s.space.ID, author: author}}
	if r.elsewhere == nil {
		r.elsewhere = map[string]*composite{}
	}
	r.elsewhere[spaceID] = c
	return c
}

// finalise ends the run's messages in other spaces. The mutex of the run's room is held.
func (r *run) finalise(stopReason string) {
	for _, c := range r.elsewhere {
		c.finalise(stopReason, true)
		delete(r.visited, c.space)
	}
	for _, c := range r.visited {
		c.finalise(stopReason, true)
	}
}

// finalise ends the message. With over, the run has ended: the displays that it has shown there wait on for their answers.
func (c *composite) finalise(stopReason string, over bool) {
	c.add(step{do: func(r *room, f *transcript.Fold) {
		if stopReason == "cancelled" {
			f.CancelOpen(r.m.now())
		}
		if !f.Ended() {
			f.End(stopReason, nil, r.m.now())
		}
		if over {
			r.leaveDisplays(f.RunID)
			r.dismiss(f.RunID, stopReason)
		}
		r.m.opt.OnChange(r.id)
	}})
}
