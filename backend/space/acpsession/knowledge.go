package acpsession

import "weft/backend/space/prelude"

// Knowledge tracks whether a session is new and whether it replaces one that the agent couldn't continue, and so what
// the agent knows of the conversation. It is guarded by the lock of the space. The zero value is that of a continued
// session.
type Knowledge struct {
	unused bool         // no prompt was sent in the session yet
	lost   prelude.Loss // why the session doesn't continue an earlier one
}

// begin marks the session as new. lost is why it doesn't continue an earlier one.
func (s *Knowledge) begin(lost prelude.Loss) { s.unused, s.lost = true, lost }

// Unused reports whether no prompt was sent in the session yet.
func (s *Knowledge) Unused() bool { return s.unused }

// Lost returns why the session doesn't continue an earlier one, until [Knowledge.MarkUsed] is called.
func (s *Knowledge) Lost() prelude.Loss { return s.lost }

// MarkUsed notes that a prompt is being sent, with the context that the agent is missing.
func (s *Knowledge) MarkUsed() { s.unused, s.lost = false, prelude.NoLoss }
