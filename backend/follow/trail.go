// Package follow has the places in files that an agent was at, for the user who follows it: what it read, changed or named as a location.
//
// It neither opens the files nor publishes anything: a [Trail] is small state, which its owner locks.
package follow

import (
	"slices"
	"strings"
	"time"

	"weft/backend/transcript"
)

// Place is where in a file an agent was at.
type Place struct {
	Path string `json:"path"` // as the agent names it
	Line int    `json:"line"` // from 1; 0 if it names none
	To   int    `json:"to"`   // the last line, at least Line
	At   int64  `json:"at"`   // unix ms
}

// Frame is how long places are gathered before the last of them is published.
const Frame = 16 * time.Millisecond

const (
	maxPlaces = 50      // of a trail
	maxPath   = 4 << 10 // bytes
	// maxDiff is the largest diff, in bytes of both sides, whose changed lines are looked for.
	maxDiff = 1 << 20
)

// Trail is the places that the agent of a session was at, the last one last. The zero value is empty.
type Trail struct {
	places  []Place
	waiting bool // the last place is about to be published
}

// Places returns the places. The caller must not change them, and has to copy them before the trail changes.
func (t *Trail) Places() []Place { return t.places }

// Last returns the last place if a file is known, and ends the wait that [Trail.At] has begun.
func (t *Trail) Last() (last Place, ok bool) {
	t.waiting = false
	if n := len(t.places); n > 0 {
		last = t.places[n-1]
	}
	return last, last.Path != ""
}

// At notes where the agent is at; changed says that the file may have changed, so that the same place is news. publish reports whether the
// caller must take the last place after a [Frame]: it isn't waiting for one yet.
func (t *Trail) At(path string, line, to int, changed bool, now int64) (publish bool) {
	if path == "" || len(path) > maxPath || strings.ContainsRune(path, 0) {
		return false
	}
	p := Place{Path: path, Line: max(line, 0), To: max(to, line, 0), At: now}
	if n := len(t.places); n > 0 && t.places[n-1].Path == path {
		last := &t.places[n-1]
		if !changed && last.Line == p.Line && last.To == p.To {
			return false // agents repeat themselves
		}
		*last = p
	} else {
		if t.places = append(t.places, p); len(t.places) > maxPlaces {
			t.places = slices.Delete(t.places, 0, 1)
		}
	}
	publish = !t.waiting
	t.waiting = true
	return publish
}

// Visit is [Trail.At] for what an update of a tool call says: its last diff, else its last location.
func (t *Trail) Visit(p *transcript.ToolPatch, now int64) (publish bool) {
	done := p.Status != nil && p.Status.Ended()
	if p.Content != nil {
		for i := len(*p.Content) - 1; i >= 0; i-- {
			if c := (*p.Content)[i]; c.Type == "diff" {
				from, to := changedLines(c.OldText, c.NewText)
				return t.At(c.Path, from, to, done, now)
			}
		}
	}
	if p.Locations != nil && len(*p.Locations) > 0 {
		l := (*p.Locations)[len(*p.Locations)-1]
		line := 0
		if l.Line != nil {
			line = *l.Line
		}
		return t.At(l.Path, line, line, done, now)
	}
	if n := len(t.places); done && n > 0 {
		// What it was at may have changed.
		last := t.places[n-1]
		return t.At(last.Path, last.Line, last.To, true, now)
	}
	return false
}

// changedLines returns the first and the last line of after that differ from before, 0 if that isn't known.
func changedLines(before, after string) (from, to int) {
	if len(before)+len(after) > maxDiff {
		return 0, 0
	}
	if before == "" {
		return 1, 1
	}
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return min(start+1, len(b)), max(start+1, len(b)-end)
}
