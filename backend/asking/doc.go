// Package asking decides what an agent may do, and asks the user where nothing else decides it; and it asks the user what an agent wants to know.
//
// A session has a [Desk]: its open permission requests and questions, and the mode in which requests are decided. A request ends once: by the
// user, by a rule, by the mode, by an answer to the same thing, with the turn, or because the agent doesn't wait any more. How one request ends is in
// the package requests; what follows for the others, in which order, is here.
//
// A desk has no lock. Its methods are called in a step of the space (decision 0029) and don't block. What takes time they leave to the [Step]: agents
// are answered once the answer is stored.
package asking

import (
	"weft/backend/acp"
	"weft/backend/actions"
	"weft/backend/fault"
	"weft/backend/permission"
	"weft/backend/store/permissions"
	"weft/backend/transcript"
)

// Step is the step of the space in which a desk is used. Its methods are called with the lock of the space, and don't block.
type Step interface {
	// Turn returns what is known of the actions of the turn in progress, nil if there is none. Open reports whether the user can be asked in it.
	Turn() (turn *actions.Turn, open bool)
	// Resume makes the message of the turn the one that is written, after the agent has mentioned another.
	Resume()
	// Effect has something done after the step; After only once everything until now is stored.
	Effect(do func())
	After(do func())
	// Decided has a row of the history stored with what happens in this step.
	Decided(d permissions.Decision)
	// Flush has stored what has happened until now.
	Flush()
	// Touched notes that what waits for the user has changed. Changed has that told as well.
	Touched()
	Changed()
}

// Asker is a session with an agent, which can ask. Its methods answer a request of the protocol, at once, and don't block.
type Asker interface {
	Answer(r *acp.Request, result any)
	// TakeBack responds to a request that the agent has canceled. The protocol requires a response to it, too.
	TakeBack(r *acp.Request)
}

// Session is what a desk knows of the session that it belongs to. Its functions are called with the lock of the space, and don't block.
type Session struct {
	Place permission.Place
	Turns *transcript.Turns
	Now   func() int64 // unix ms
	// NewID makes an id that no other request or call has.
	NewID func(prefix string) string
	// Rules returns the user's rules as they are now.
	Rules func() *permission.Set
	// Trusts returns the agent's mode in which the user lets it do things of a kind unasked, "" if there is none.
	Trusts func(kind string) string
	// Let notes that the user has answered a request about things of a kind with the agent's "always"; TrustEdits that the answer is good for all
	// edits of the session.
	Let        func(kind string)
	TrustEdits func()
}

// Desk is what the user is asked by one session.
type Desk struct {
	Mode        Mode
	Permissions Permissions
	Questions   Questions
}

// NewDesk returns a desk on which nothing is open.
func NewDesk(session Session, step Step, mode permission.Mode) *Desk {
	d := &Desk{Mode: Mode{Space: mode}}
	d.Permissions = Permissions{session: session, step: step, mode: &d.Mode}
	d.Questions = Questions{session: session, step: step, ended: d.Permissions.abandon}
	return d
}

// Open returns how many requests are open.
func (d *Desk) Open() int { return d.Permissions.open.Len() + d.Questions.open.Len() }

// Withdraw ends all open requests, which the agent is told; why is what becomes of them.
func (d *Desk) Withdraw(why transcript.Resolution) {
	d.Permissions.withdrawAll(why)
	d.Questions.withdrawAll(why)
}

// TakenBack ends what the agent has asked by a request that it took back; from has asked.
func (d *Desk) TakenBack(from Asker, r *acp.Request) {
	d.Permissions.takenBack(from, r)
	d.Questions.takenBack(r)
}

// CallEnded ends the open requests about a call that the agent has ended without their answers.
func (d *Desk) CallEnded(call string) {
	d.Permissions.callEnded(call)
	d.Questions.CallEnded(call)
}

// ErrNotWaiting is the error of an answer to a request that isn't open.
var ErrNotWaiting = fault.New("not_waiting", "The agent no longer waits for this answer.")
