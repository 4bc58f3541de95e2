package lifecycle

import (
	"fmt"
	"slices"
)

// Phase says where a session stands.
type Phase int

const (
	// Gone says that there is no session.
	Gone Phase = iota
	// Starting says that its process is being started, or joined, and the session opened in it.
	Starting
	// SigningIn says that the user signs the agent in, in a session that is open.
	SigningIn
	// Ready says that it takes a prompt.
	Ready
	// InTurn says that it has a prompt.
	InTurn
	// Closing says that it is being closed, and left. Nothing of it counts any more.
	Closing
)

var phaseNames = [...]string{"gone", "starting", "signing in", "ready", "in turn", "closing"}

func (p Phase) String() string { return phaseNames[p] }

// phases is the table of what may follow what.
var phases = [...][]Phase{
	Gone:      {Starting},
	Starting:  {Ready, Closing},
	SigningIn: {Ready, Closing},
	Ready:     {InTurn, SigningIn, Closing},
	InTurn:    {Ready, Closing},
	Closing:   {Gone},
}

// to changes the phase. What is not in the table is a fault of Weft: it panics.
func (g *Stage[S]) to(next Phase) {
	if !slices.Contains(phases[g.phase], next) {
		panic(fmt.Sprintf("a session that is %s can't become %s", g.phase, next))
	}
	g.phase = next
}
