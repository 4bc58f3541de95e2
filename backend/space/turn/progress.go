package turn

import "weft/backend/conversation/transcript"

// Progress records what an agent has sent during a turn. Times are in unix ms, zero if nothing was sent.
type Progress struct {
	Sent   int64  // when the agent got the prompt
	Worked int64  // when it last sent a sign of work on the turn
	Seen   string // the kind of what it sent last
	SeenAt int64
}

// The values of [Progress.Seen].
const (
	SeenWork        = "work"        // text, thoughts, calls, plans and other output of a turn
	SeenRequest     = "request"     // a request to Weft, such as to read a file
	SeenDescription = "description" // a description of the session: title, options, usage
	SeenCommands    = "commands"    // the list of commands
)

// Take records an update received at now.
func (p *Progress) Take(u *transcript.Update, now int64) {
	p.Seen, p.SeenAt = SeenDescription, now
	switch {
	case u.Works():
		p.Seen, p.Worked = SeenWork, now
	case u.Kind == transcript.UpdateState && u.Key == transcript.StateCommands:
		p.Seen = SeenCommands
	}
}

// TakeRequest records a request received at now.
func (p *Progress) TakeRequest(now int64) { p.Seen, p.SeenAt, p.Worked = SeenRequest, now, now }
