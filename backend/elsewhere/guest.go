package elsewhere

import (
	"sync/atomic"

	"weft/backend/transcript"
)

// Guest is a run of another space that writes into this one. The space shows it like its own runs, marked with the space
// that it works in, from its first message here until it ends, also behind a mention that has ended its message.
type Guest struct {
	RunID     string
	Home      string // the space that it works in
	Author    transcript.Author
	StartedAt int64 // unix ms

	stopping *atomic.Bool
	fold     *transcript.Fold // its latest message here
}

// Stopping reports whether the run is being stopped. It needs no lock.
func (g *Guest) Stopping() bool { return g.stopping.Load() }

// MessageID returns the run's latest message in the space, "" if it has none yet.
func (g *Guest) MessageID() string {
	if g.fold == nil {
		return ""
	}
	return g.fold.ID
}

// Guests are the runs of other spaces that write into one. They belong to whoever has the lock of that. The zero value has none.
type Guests struct {
	runs map[string]*Guest
}

// Join begins a message of a run in the space. If it is the first one, the run is announced there, and first is true.
func (g *Guests) Join(box *transcript.Outbox, run *Guest, messageID string) (f *transcript.Fold, first bool) {
	known := g.runs[run.RunID]
	if first = known == nil; first {
		if g.runs == nil {
			g.runs = map[string]*Guest{}
		}
		known, g.runs[run.RunID] = run, run
		box.Add(&transcript.RunCreated{RunID: run.RunID, AgentID: run.Author.ID, AgentName: run.Author.Name, MemberID: run.Author.MemberID, SpaceID: run.Home})
	}
	known.fold = transcript.NewFold(box, transcript.MessageStart{MessageID: messageID, RunID: run.RunID, Role: transcript.RoleAgent, Author: run.Author})
	return known.fold, first
}

// Over tells the space that a run is over, if it has written there.
func (g *Guests) Over(box *transcript.Outbox, runID, stopReason string) {
	run := g.runs[runID]
	if run == nil {
		return
	}
	delete(g.runs, runID)
	box.Add(&transcript.RunCompleted{RunID: runID, StopReason: stopReason, SpaceID: run.Home})
}

// All returns the guests, in no order.
func (g *Guests) All() []*Guest {
	list := make([]*Guest, 0, len(g.runs))
	for _, run := range g.runs {
		list = append(list, run)
	}
	return list
}
