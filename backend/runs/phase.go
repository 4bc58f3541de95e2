package runs

import (
	"context"
	"fmt"
	"slices"

	"weft/backend/acpsession"
)

// phase is where a member's session with its agent stands.
type phase int

const (
	// phaseGone: there is no session.
	phaseGone phase = iota
	// phaseStarting: its process is being started, or joined, and the session opened in it.
	phaseStarting
	// phaseSigningIn: the user signs the agent in, in a session that is open.
	phaseSigningIn
	// phaseReady: it takes a prompt.
	phaseReady
	// phaseInTurn: it has a prompt.
	phaseInTurn
	// phaseClosing: it is being closed, and left. Nothing of it counts any more.
	phaseClosing
)

var phaseNames = [...]string{"gone", "starting", "signing in", "ready", "in turn", "closing"}

func (p phase) String() string { return phaseNames[p] }

// phases is the table of what may follow what.
var phases = [...][]phase{
	phaseGone:      {phaseStarting},
	phaseStarting:  {phaseReady, phaseClosing},
	phaseSigningIn: {phaseReady, phaseClosing},
	phaseReady:     {phaseInTurn, phaseSigningIn, phaseClosing},
	phaseInTurn:    {phaseReady, phaseClosing},
	phaseClosing:   {phaseGone},
}

// to changes the phase. What is not in the table is a fault of Weft: it panics.
func (l *liveSession) to(next phase) {
	if !slices.Contains(phases[l.phase], next) {
		panic(fmt.Sprintf("a session that is %s cannot become %s", l.phase, next))
	}
	l.phase = next
}

// purpose is what a session is opened for.
type purpose int

const (
	toPrompt purpose = iota // the last one is continued, or one is made
	toLoad                  // one that the agent has kept is replayed into the space
	toSignIn                // the user signs the agent in on the way
)

// opening is a way to open a session.
type opening struct {
	purpose purpose
	// open opens the session in a process that has started. It blocks, without the lock.
	open      openFunc
	alone     bool // in a process of its own
	exclusive bool // and the agent is remembered to need that, if it works
	// done is called with the lock, once, when the session is open, or cannot be. Nil: nobody wants to know.
	done func(l *liveSession, err error)
}

// wanting is someone who needs a session. done is called with the lock, once, unless it is called off.
type wanting struct {
	done   func(l *liveSession, err error)
	inTurn bool // also one that has a prompt will do
}

// openFunc opens a session in a process that has started. It blocks, without the lock; ctx gives up.
type openFunc func(as *acpsession.Session, ctx context.Context) error
