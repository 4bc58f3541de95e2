package elsewhere

import (
	"sync/atomic"

	"weft/backend/conversation/transcript"
)

// Guest is a run of another space that writes to this one. The space shows it like its own runs, marked with the
// space that it belongs to, from its first message here until it ends, even after a mention has ended that message.
type Guest struct {
	RunID     string
	Home      string            // the space that it belongs to
	Author    transcript.Author // in its own space, until [Space.Join] has replaced its member
	StartedAt int64             // unix ms

	stopping *atomic.Bool
	fold     *transcript.Fold // its latest message here
	title    string           // of its own space, when that message began
}

// Stopping reports whether the run is being stopped. It may be called without the lock.
func (g *Guest) Stopping() bool { return g.stopping.Load() }

// MessageID returns the run's latest message in the space, or "".
func (g *Guest) MessageID() string {
	if g.fold == nil {
		return ""
	}
	return g.fold.ID
}

// Guests are the runs of other spaces that write to this one. The lock of this space guards them. The zero value is
// empty.
type Guests struct {
	runs map[string]*Guest
}

// Join begins a message of a run in the space. first reports whether it is the run's first message there; Join then
// announces the run.
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

// Over announces in the space that a run has ended, if the run wrote there.
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
