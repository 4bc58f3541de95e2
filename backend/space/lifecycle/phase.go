package lifecycle

import (
	"fmt"
	"slices"
)

// Phase is the state of a session.
type Phase int

const (
	// Gone means that there is no session.
	Gone Phase = iota
	// Starting means that its process is being started or joined, and the session is being opened.
	Starting
	// SigningIn means that the session is open and the user signs in to the agent.
	SigningIn
	// Ready means that it accepts a prompt.
	Ready
	// InTurn means that it has a prompt.
	InTurn
	// Closing means that it is being closed and its updates are ignored.
	Closing
)

var phaseNames = [...]string{"gone", "starting", "signing in", "ready", "in turn", "closing"}

func (p Phase) String() string { return phaseNames[p] }

// phases lists the allowed transitions.
var phases = [...][]Phase{
	Gone:      {Starting},
	Starting:  {Ready, Closing},
	SigningIn: {Ready, Closing},
	Ready:     {InTurn, SigningIn, Closing},
	InTurn:    {Ready, Closing},
	Closing:   {Gone},
}

// to changes the phase. It panics if the transition isn't allowed, which is a bug in Weft.
func (g *Stage[S]) to(next Phase) {
	if !slices.Contains(phases[g.phase], next) {
		panic(fmt.Sprintf("a session that is %s can't become %s", g.phase, next))
	}
	g.phase = next
}
