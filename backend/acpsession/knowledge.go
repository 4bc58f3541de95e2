package acpsession

// Knowledge is what the agent knows of the conversation in a session: whether anything was said in it, and whether it replaces one that the agent could not
// continue. It belongs to whoever has the lock of the space. The zero value is that of a session that is continued.
type Knowledge struct {
	unsaid bool // nothing was said in the session yet
	forgot bool // there was an earlier session, which the agent could not continue
}

// begin notes that the session is a new one, and whether there was an earlier one.
func (s *Knowledge) begin(earlier bool) { s.unsaid, s.forgot = true, earlier }

// Unsaid reports whether nothing was said in the session yet.
func (s *Knowledge) Unsaid() bool { return s.unsaid }

// Forgot reports whether there was an earlier session that the agent could not continue, of which it wasn't told yet.
func (s *Knowledge) Forgot() bool { return s.forgot }

// Said notes that something is said in the session: the agent is told what it needs to know.
func (s *Knowledge) Said() { s.unsaid, s.forgot = false, false }
