// Package follow tracks the positions in files that an agent visited (read, changed or reported as a location), for
// users who follow it.
//
// It neither opens files nor publishes anything. A [Trail] is small state that its owner locks.
package follow

import (
	"slices"
	"strings"
	"time"

	"weft/backend/conversation/transcript"
)

// Place is a place in a file that an agent has visited.
type Place struct {
	Path string `json:"path"` // as the agent names it
	Line int    `json:"line"` // from 1; 0 if it names none
	To   int    `json:"to"`   // the last line, at least Line
	At   int64  `json:"at"`   // unix ms
}

// Frame is how long places are collected before the last one is published.
const Frame = 16 * time.Millisecond

const (
	maxPlaces = 50      // of a trail
	maxPath   = 4 << 10 // bytes
	// maxDiff is the maximum size of a diff that is searched for changed lines, in bytes of both sides.
	maxDiff = 1 << 20
)

// Trail holds the last places of a session's agent, oldest first. The zero value is empty.
type Trail struct {
	places  []Place
	waiting bool // the last place will be published
}

// Places returns the places. The caller must not change them, and must copy them before the trail changes.
func (t *Trail) Places() []Place { return t.places }

// Last returns the last place, if any, and ends the wait that [Trail.At] began.
func (t *Trail) Last() (last Place, ok bool) {
	t.waiting = false
	if n := len(t.places); n > 0 {
		last = t.places[n-1]
	}
	return last, last.Path != ""
}

// At records a place of the agent. changed says that the file may have changed, so that the same place counts as new.
// publish reports whether the caller must call [Trail.Last] after a [Frame]; it is false while such a call is pending.
func (t *Trail) At(path string, line, to int, changed bool, now int64) (publish bool) {
	if path == "" || len(path) > maxPath || strings.ContainsRune(path, 0) {
		return false
	}
	p := Place{Path: path, Line: max(line, 0), To: max(to, line, 0), At: now}
	if n := len(t.places); n > 0 && t.places[n-1].Path == path {
		last := &t.places[n-1]
		if !changed && last.Line == p.Line && last.To == p.To {
			return false // agents repeat reports
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

// Visit is like [Trail.At] for the last diff of a tool call's update, or else its last location.
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
		// The call may have changed the file.
		last := t.places[n-1]
		return t.At(last.Path, last.Line, last.To, true, now)
	}
	return false
}

// changedLines returns the first and the last line of after that differ from before, or 0 if the diff is too large.
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
