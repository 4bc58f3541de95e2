package lifecycle

import "time"

// Machine opens and closes the sessions of a member, one at a time. S is the member's session type.
type Machine[S any] struct {
	space  Space
	member Member[S]

	live    *Stage[S] // the session that isn't closing, or nil
	closing *Stage[S] // the session that is closing, or nil

	next   *Opening[S] // opened once nothing is closing; nil: as needed
	needed []*Need[S]  // callers that wait for a session
	fresh  bool        // the next session gets a new process

	left bool     // the member or its space is gone: no more sessions are opened
	over []func() // called once left is set and everything has ended
	rest int      // changes whenever the session becomes idle or busy
}

// Space is the space of a member. Package owner implements it.
type Space interface {
	// Lock begins a step of the space. It blocks until the current step has ended.
	Lock()
	// Unlock ends a step.
	Unlock()
	// Step runs do as a step. It is called without a lock.
	Step(do func())
	// Effect queues do to run after the step, without the lock and after all earlier effects.
	Effect(do func())
	// Later runs do as a step after d.
	Later(d time.Duration, do func())
	// Flush stores all events so far as soon as possible.
	Flush()
}

// Member is what a Machine needs of its member. Its methods are called in a step of the space and must not block.
type Member[S any] interface {
	// New makes a session that isn't open yet. It fails if the member has no agent that could be started.
	New(g *Stage[S]) (S, error)
	// Open opens a session as described by [Stage.How]. A later step calls [Stage.Opened], even if the session is
	// closed in the meantime.
	Open(s S)
	// Close closes a session, whose updates are ignored from then on, and cancels Open. A later step calls
	// [Stage.Gone].
	Close(s S, how Ending)
	// Usable reports whether a ready session can take another prompt, and marks it as used.
	Usable(s S) bool
	// Ready handles a session that has opened. exclusive means that its agent was found to need a process for each
	// session.
	Ready(s S, exclusive bool)
	// Next sends the next queued prompt, unless a run is in progress.
	Next()
	// Running reports whether the member has a run in progress.
	Running() bool
	// Idle handles a session that has been idle for a while. It returns the sessions to close, possibly of other
	// spaces, if all sessions of the process are idle. again means that the session or its process is still at work:
	// Idle is then called again after the same time.
	Idle(s S) (idle []*Stage[S], again bool)
}

// New returns the machine of a member without a session.
func New[S any](space Space, member Member[S]) *Machine[S] {
	return &Machine[S]{space: space, member: member}
}

// Live returns the session that isn't closing, or the zero value.
func (m *Machine[S]) Live() (s S) {
	if m.live != nil {
		s = m.live.session
	}
	return s
}

// Busy reports whether a new prompt must wait.
func (m *Machine[S]) Busy() bool {
	return m.member.Running() || m.next != nil && m.next.Purpose != ToPrompt || m.live != nil && (m.live.phase == SigningIn || m.live.phase == Starting && m.live.how.Purpose != ToPrompt)
}

// Left reports whether the member, or its space, is gone.
func (m *Machine[S]) Left() bool { return m.left }

// Fresh reports whether the next session must not join a running process.
func (m *Machine[S]) Fresh() bool { return m.fresh }

// StartFresh makes the next session start a new process.
func (m *Machine[S]) StartFresh() { m.fresh = true }
