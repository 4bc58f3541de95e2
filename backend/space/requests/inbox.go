package requests

import (
	"weft/backend/acp"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/store/permissions"
)

// Step is the step of the space in which an inbox is used. Its methods are called with the lock of the space and don't
// block.
type Step interface {
	// Turn returns the actions of the turn in progress, or nil. open reports whether the user can be asked in it.
	Turn() (turn *actions.Turn, open bool)
	// Resume makes later updates go to the message of the turn, after the agent has mentioned another message.
	Resume()
	// Effect runs a function after the step. After runs it once everything up to now is stored.
	Effect(do func())
	After(do func())
	// Decided stores a row of the history together with the changes of this step.
	Decided(d permissions.Decision)
	// Flush stores everything up to now.
	Flush()
	// Touched records that what waits for the user has changed. Changed also publishes it.
	Touched()
	Changed()
}

// Asker is a session with an agent that can ask. Its methods respond to a protocol request immediately and don't
// block.
type Asker interface {
	Answer(r *acp.Request, result any)
	// RespondCanceled responds to a request that the agent has canceled, which the protocol requires too.
	RespondCanceled(r *acp.Request)
}

// Session is what an inbox needs from its session. The functions are called with the lock of the space and don't block.
type Session struct {
	Place permission.Place
	Turns *transcript.Turns
	Now   func() int64 // unix ms
	// NewID returns an id that no other request or call has.
	NewID func(prefix string) string
	// Rules returns the user's current rules.
	Rules func() *permission.Set
	// Trusts returns the agent mode in which the user lets it do things of a kind without asking, or "".
	Trusts func(kind string) string
	// Let records that the user answered a request of a kind with the agent's "always" option. TrustEdits records that
	// the answer covers all edits of the session.
	Let        func(kind string)
	TrustEdits func()
}

// Inbox has everything that one session asks the user.
type Inbox struct {
	Mode        Mode
	Permissions Permissions
	Questions   Questions
}

// NewInbox returns an inbox without open requests.
func NewInbox(session Session, step Step, mode permission.Mode) *Inbox {
	d := &Inbox{Mode: Mode{Space: mode}}
	d.Permissions = Permissions{session: session, step: step, mode: &d.Mode}
	d.Questions = Questions{session: session, step: step, ended: d.Permissions.abandon}
	return d
}

// Open returns the number of open requests.
func (d *Inbox) Open() int { return d.Permissions.open.Len() + d.Questions.open.Len() }

// Withdraw ends all open requests with the resolution why, and responds to the agent.
func (d *Inbox) Withdraw(why transcript.Resolution) {
	d.Permissions.withdrawAll(why)
	d.Questions.withdrawAll(why)
}

// Canceled ends what the agent asked with a request that it has canceled.
func (d *Inbox) Canceled(from Asker, r *acp.Request) {
	d.Permissions.canceled(from, r)
	d.Questions.canceled(r)
}

// CallEnded ends the open requests about a call that the agent has ended without waiting for their answers.
func (d *Inbox) CallEnded(call string) {
	d.Permissions.callEnded(call)
	d.Questions.CallEnded(call)
}

// ErrNotWaiting reports that the answered request isn't open.
var ErrNotWaiting = fault.New("not_waiting", "The agent no longer waits for this answer.")
