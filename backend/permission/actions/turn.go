package actions

import (
	"slices"
)

// maxReads limits how many files read through Weft are remembered per turn.
const maxReads = 4096

// Turn is the record of the actions in one turn of an agent. The zero value is a turn that has just begun.
type Turn struct {
	Answers Answers // to permission requests
	Found   Found   // files that were found to have changed
	Refused bool    // a request of the agent was refused

	noted []*Action       // what Weft was asked about or asked to do
	reads map[string]bool // files that Weft was asked to read
}

// Note records what Weft was asked about or asked to do, because some agents show it as a call with another id, or
// later. The caller sets Refused if it is refused.
func (t *Turn) Note(a *Action) {
	if !t.full() {
		t.noted = append(t.noted, a)
	}
}

// full reports whether the record may be incomplete.
func (t *Turn) full() bool { return len(t.noted) >= maxAnswers }

// NoteReads records the files that Weft was asked to read. A call that reads one of them shows the same read.
func (t *Turn) NoteReads(files []string) {
	if len(t.reads) >= maxReads {
		return
	}
	if t.reads == nil {
		t.reads = map[string]bool{}
	}
	for _, f := range files {
		t.reads[f] = true
	}
}

// HasRead reports whether Weft was asked to read a file of the action, or the record is incomplete.
func (t *Turn) HasRead(a *Action) bool {
	return len(t.reads) >= maxReads || slices.ContainsFunc(a.Files, func(f string) bool { return t.reads[f] })
}

// Knows reports whether Weft was asked about the same command or file, or the record is incomplete.
func (t *Turn) Knows(a *Action) bool {
	return t.full() || slices.ContainsFunc(t.noted, func(o *Action) bool {
		return o.Kind == a.Kind && (o.runsAny(a.Runs) || slices.ContainsFunc(o.Files, func(path string) bool { return slices.Contains(a.Files, path) }))
	})
}

// asked reports whether Weft was asked about a change of a file.
func (t *Turn) asked(path string) bool {
	return slices.ContainsFunc(t.noted, func(a *Action) bool { return a.Kind != Read && slices.Contains(a.Files, path) })
}

// permits reports whether Weft was asked about a change of a file and didn't refuse it.
func (t *Turn) permits(path string) bool {
	return slices.ContainsFunc(t.noted, func(a *Action) bool { return !a.Refused && a.Kind != Read && slices.Contains(a.Files, path) })
}

// permitsAny reports whether Weft was asked about something that may change any file, and didn't refuse it.
func (t *Turn) permitsAny() bool {
	return t.full() || slices.ContainsFunc(t.noted, func(a *Action) bool { return !a.Refused && a.Kind != Read && len(a.Files) == 0 })
}
