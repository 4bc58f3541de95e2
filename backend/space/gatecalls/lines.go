package gatecalls

import (
	"maps"

	"github.com/go-json-experiment/json/jsontext"
)

// lines are the calls that the agent's session shows.
type lines[S any] struct {
	byID  map[string]*Call[S]
	shown int // number of calls so far
}

// full reports whether further calls aren't correlated.
func (l *lines[S]) full() bool { return len(l.byID) >= MaxCalls }

// add adds a call.
func (l *lines[S]) add(id string, tool *Tool) *Call[S] {
	l.shown++
	g := &Call[S]{ID: id, Tool: *tool, order: l.shown}
	l.byID[id] = g
	return g
}

// rename changes the id of a call that was added ahead to the agent's.
func (l *lines[S]) rename(g *Call[S], id string) {
	delete(l.byID, g.ID)
	if was := l.byID[id]; was != nil { // the agent has shown it before, but it wasn't recognized
		g.Taken, g.Over = g.Taken || was.Taken, g.Over || was.Over
	}
	g.First, g.ID = g.PartID(), id
	l.byID[id] = g
}

// endRun drops the calls of a run, except displays.
func (l *lines[S]) endRun() {
	maps.DeleteFunc(l.byID, func(_ string, g *Call[S]) bool {
		g.past = true
		return !g.Drawn
	})
	if len(l.byID) >= MaxCalls/2 {
		clear(l.byID)
	}
}

// free returns the number of lines that can still be assigned to a call of the tool.
func (l *lines[S]) free(tool string) (n int) {
	for _, g := range l.byID {
		if g.free(tool) {
			n++
		}
	}
	return n
}

// best returns the free line of the tool with the highest fit, the oldest of several; nil if none is above 0.
func (l *lines[S]) best(tool string, fit func(*Call[S]) int) (found *Call[S], better int) {
	for _, g := range l.byID {
		if !g.free(tool) {
			continue
		}
		if fits := fit(g); fits > better || fits == better && fits > 0 && g.order < found.order {
			found, better = g, fits
		}
	}
	return found, better
}

// latest returns the newest line that was assigned to a call of the tool, preferably with the sent arguments; nil if
// there is none.
func (l *lines[S]) latest(tool string, sent jsontext.Value) (found *Call[S]) {
	better := 0
	for _, g := range l.byID {
		if g.Tool.Name != tool || !g.Taken || g.Over && !g.Drawn {
			continue
		}
		fits := 1
		if SameJSON(g.Whole, sent) {
			fits = 2
		}
		if fits > better || fits == better && g.order > found.order {
			found, better = g, fits
		}
	}
	return found
}
