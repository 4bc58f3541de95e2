package runs

import "weft/backend/transcript"

// guest is a run of another space that writes into this one. The space shows it like its own runs, marked with the space
// that it works in, from its first part here until it ends, also behind a mention that has ended its message.
type guest struct {
	of     *run
	home   string // the space that it works in
	author transcript.Author
	fold   *transcript.Fold // its latest message here
}

// welcome tells the space of a run that writes here for the first time. The lock is held.
func (r *room) welcome(g *guest) {
	if r.guests[g.of.id] != nil {
		return
	}
	r.guests[g.of.id] = g
	r.Box.Add(&transcript.RunCreated{RunID: g.of.id, AgentID: g.author.ID, AgentName: g.author.Name, MemberID: g.author.MemberID, SpaceID: g.home})
	r.changed()
}

// dismiss tells the space that a run which has written here is over. The lock is held.
func (r *room) dismiss(runID, stopReason string) {
	g := r.guests[runID]
	if g == nil {
		return
	}
	delete(r.guests, runID)
	r.Touched()
	r.Box.Add(&transcript.RunCompleted{RunID: runID, StopReason: stopReason, SpaceID: g.home})
}

// state is the run as the space has it. The lock is held.
func (g *guest) state() RunState {
	st := RunState{
		ID: g.of.id, AgentID: g.author.ID, MemberID: g.author.MemberID, StartedAt: g.of.started, Stopping: g.of.halted.Load(), Home: g.home,
	}
	if st.MemberID == "" {
		st.MemberID = transcript.MainMember
	}
	if g.fold != nil {
		st.MessageID = g.fold.ID
	}
	return st
}

// visits keeps the message of a run in another space that a mention has ended: the space shows the run until that ends, too. The
// lock of the run's space is held.
func (r *run) visits(c *composite) {
	if c == nil {
		return
	}
	if r.visited == nil {
		r.visited = map[string]*composite{}
	}
	r.visited[c.space] = c
}
