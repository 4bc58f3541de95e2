package acpsession

import "weft/backend/prelude"

// Knowledge is what the agent knows of the conversation in a session: whether anything was said in it, and whether it replaces one that the agent could not
// continue. It belongs to whoever has the lock of the space. The zero value is that of a session that is continued.
type Knowledge struct {
	unsaid bool         // nothing was said in the session yet
	lost   prelude.Loss // why there is no earlier session
}

// begin notes that the session is a new one, and why it doesn't continue an earlier one.
func (s *Knowledge) begin(lost prelude.Loss) { s.unsaid, s.lost = true, lost }

// Unsaid reports whether nothing was said in the session yet.
func (s *Knowledge) Unsaid() bool { return s.unsaid }

// Lost returns why an earlier session is not continued, until the agent was told.
func (s *Knowledge) Lost() prelude.Loss { return s.lost }

// Said notes that something is said in the session: the agent is told what it needs to know.
func (s *Knowledge) Said() { s.unsaid, s.lost = false, prelude.NoLoss }
