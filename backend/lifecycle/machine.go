package lifecycle

import "time"

// Machine opens and closes the sessions of a member, one at a time. S is what a session is to the member.
type Machine[S any] struct {
	space  Space
	member Member[S]

	live    *Stage[S] // that is not closing, nil if there is none
	closing *Stage[S] // that is

	next   *Opening[S] // what is opened once nothing is closing, nil: what someone needs
	needed []*Need[S]  // who needs a session that takes prompts
	fresh  bool        // the next one is opened in a new process

	left bool     // the member, or its space, is gone: no session is opened any more
	over []func() // what follows once that is so and everything has ended
	rest int      // counts the times that there has been nothing to do
}

// Space is the space of a member. Package owner implements it.
type Space interface {
	// Lock begins a step of the space. It blocks until the step in progress has ended.
	Lock()
	// Unlock ends a step.
	Unlock()
	// Step makes a step of do. It is called without a lock.
	Step(do func())
	// Effect has something done after the step, without the lock and behind all earlier effects.
	Effect(do func())
	// Later makes a step of do after d.
	Later(d time.Duration, do func())
	// Flush has what has happened stored as soon as possible.
	Flush()
}

// Member is what a Machine needs of its member. Its methods are called in a step of the space and must not block.
type Member[S any] interface {
	// New makes a session that is not there yet. Error: why the member has no agent that could be started.
	New(g *Stage[S]) (S, error)
	// Open opens a session as [Stage.How] says. A later step calls [Stage.Opened], also if the session is closed meanwhile.
	Open(s S)
	// Close closes a session, which nothing is taken from any more. It gives up what Open does. A later step calls [Stage.Gone].
	Close(s S, how Ending)
	// Usable reports whether a session that is ready can take another prompt, and notes that it is used.
	Usable(s S) bool
	// Ready notes that a session is open. Exclusive says that its agent was found to need a process for each session.
	Ready(s S, exclusive bool)
	// Next sends the next prompt that waits, if no run is in progress.
	Next()
	// Running reports whether a run of the member is in progress.
	Running() bool
	// Idle notes that a session has had nothing to do for a while. It returns the sessions that must be closed because all of their process are idle, also
	// those of other spaces. Again says that something of it or its process is still at work, so that Idle is called again after the same time.
	Idle(s S) (idle []*Stage[S], again bool)
}

// New returns the machine of a member that has no session yet.
func New[S any](space Space, member Member[S]) *Machine[S] {
	return &Machine[S]{space: space, member: member}
}

// Live returns the session that is not being closed, the zero value if there is none.
func (m *Machine[S]) Live() (s S) {
	if m.live != nil {
		s = m.live.session
	}
	return s
}

// Busy reports whether a prompt has to wait.
func (m *Machine[S]) Busy() bool {
	return m.member.Running() || m.next != nil && m.next.Purpose != ToPrompt || m.live != nil && (m.live.phase == SigningIn || m.live.phase == Starting && m.live.how.Purpose != ToPrompt)
}

// Left reports whether the member, or its space, is gone.
func (m *Machine[S]) Left() bool { return m.left }

// Fresh reports whether the next session must not join a process that runs.
func (m *Machine[S]) Fresh() bool { return m.fresh }

// StartFresh has the next session opened in a new process.
func (m *Machine[S]) StartFresh() { m.fresh = true }
