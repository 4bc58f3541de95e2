package runs

import (
	"context"
	"sync"
	"sync/atomic"

	"weft/backend/owner"
	"weft/backend/transcript"
)

// composite is the message of a run in another space than its own: one for each that it adds to (decision 0014). What is to be
// added waits in order and is added by one goroutine at a time, so that nobody holds the locks of two spaces.
type composite struct {
	m      *Manager
	from   *room // of the run
	space  string
	runID  string
	author transcript.Author
	guest  guest

	pending atomic.Int64 // bytes of todo, about

	mu     sync.Mutex
	todo   []step
	moving bool
	failed error

	target *room
	fold   *transcript.Fold // with the lock of target
}

// step is one thing to add. Adjacent texts become one.
type step struct {
	text string
	part string // of which text; another one is a segment of its own
	call string // by which the agent sends it, "" if that is not known
	size int    // of what do adds, in bytes, about
	do   func(r *room, f *transcript.Fold)
	done chan struct{} // closed when it was added, or could not be
}

// stepSize is what a step weighs besides its text, in bytes.
const stepSize = 256

// maxPending is how much may wait to be added to another space before the agent is not read any further, in bytes.
const maxPending = 256 << 10

// crowded reports whether the run has written so much to other spaces that these have not taken yet that its agent is not read any further.
// The lock of the run's space is held.
func (r *run) crowded() bool {
	for _, c := range r.elsewhere {
		if c.pending.Load() >= maxPending {
			return true
		}
	}
	for _, c := range r.visited {
		if c.pending.Load() >= maxPending {
			return true
		}
	}
	return false
}

// add adds a step behind those that wait. It does not block; see [run.crowded].
func (c *composite) add(s step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.size += stepSize
	c.pending.Add(int64(len(s.text) + s.size))
	if n := len(c.todo); n > 0 && s.do == nil && c.todo[n-1].do == nil && s.done == nil && c.todo[n-1].done == nil && c.todo[n-1].part == s.part {
		c.todo[n-1].text += s.text
		c.todo[n-1].size += s.size
	} else {
		c.todo = append(c.todo, s)
	}
	if !c.moving {
		c.moving = true
		c.from.w.Run(c.move)
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
			for _, s := range todo {
				if s.done != nil {
					close(s.done)
				}
			}
		}
		full := c.pending.Load() >= maxPending
		for _, s := range todo {
			c.pending.Add(-int64(len(s.text) + s.size))
		}
		if full {
			c.from.Wake()
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
	r.LockUntil(func() bool { return !r.Full() })
	defer r.Unlock()
	if r.gone {
		return owner.ErrClosing
	}
	if c.fold == nil {
		r.welcome(&c.guest)
		c.fold = transcript.NewFold(&r.Box, transcript.MessageStart{MessageID: r.newID("msg"), RunID: c.runID, Role: transcript.RoleAgent, Author: c.author})
		r.guests[c.runID].fold = c.fold
	}
	waits := false
	for _, st := range todo {
		if st.do != nil {
			st.do(r, c.fold)
		} else {
			c.fold.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: st.text, MessageID: st.part, Apart: true, Via: st.call}, c.m.now())
		}
		if st.done != nil {
			waits = true
			r.After(func() { close(st.done) })
		}
	}
	if waits {
		r.Flush()
	} else {
		r.Pace(false)
	}
	return nil
}

// in returns the run's message in another space, where its agent is that member. The lock of the run's space is held.
func (r *run) in(s *Session, spaceID string, as Member) *composite {
	if c := r.elsewhere[spaceID]; c != nil {
		return c
	}
	author := s.author()
	author.Name, author.MemberID = as.Name, transcript.MemberField(as.ID)
	c := &composite{m: s.m, from: s.room, space: spaceID, runID: r.id, author: author, guest: guest{of: r, home: s.space.ID, author: author}}
	if r.elsewhere == nil {
		r.elsewhere = map[string]*composite{}
	}
	r.elsewhere[spaceID] = c
	return c
}

// finalise ends the run's messages in other spaces. The lock of the run's space is held.
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
		r.changed()
	}})
}
