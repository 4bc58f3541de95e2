package turn

import "weft/backend/transcript"

// Progress says what an agent has sent of a turn. Times are in unix ms, zero where there was nothing.
type Progress struct {
	Sent   int64  // when the agent got the prompt
	Worked int64  // when it last sent a sign that it works on the turn
	Seen   string // what it has sent last
	SeenAt int64
}

// The kinds of what an agent has sent last.
const (
	SeenWork        = "work"        // text, thoughts, calls, plans and whatever else comes of a turn
	SeenRequest     = "request"     // a request to Weft, such as for a file
	SeenDescription = "description" // what describes the session: its title, options, usage
	SeenCommands    = "commands"    // the list of commands
)

// Take notes an update that has come in at now.
func (p *Progress) Take(u *transcript.Update, now int64) {
	p.Seen, p.SeenAt = SeenDescription, now
	switch {
	case u.Works():
		p.Seen, p.Worked = SeenWork, now
	case u.Kind == transcript.UpdateState && u.Key == transcript.StateCommands:
		p.Seen = SeenCommands
	}
}

// TakeRequest notes a request that has come in at now.
func (p *Progress) TakeRequest(now int64) { p.Seen, p.SeenAt, p.Worked = SeenRequest, now, now }
