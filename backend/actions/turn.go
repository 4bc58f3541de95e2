package actions

import (
	"slices"
)

// maxReads is how many files are kept that were read through Weft in a turn.
const maxReads = 4096

// Turn is what is known of the actions of one turn of an agent. The zero value is a turn that has just begun.
type Turn struct {
	Answers Answers // to permission requests
	Found   Found   // files that were found to have changed
	Refused bool    // something that the agent asked for was refused

	noted []*Action       // that Weft was asked about, or asked to do
	reads map[string]bool // files that Weft was asked to read
}

// Note keeps what Weft was asked about, or asked to do: some agents show it as a call with another id, or later. The caller sets Refused if it is refused.
func (t *Turn) Note(a *Action) {
	if !t.full() {
		t.noted = append(t.noted, a)
	}
}

// full reports whether not all of what Weft was asked about is kept.
func (t *Turn) full() bool { return len(t.noted) >= maxAnswers }

// NoteReads keeps which files Weft was asked to read: a call to read one of them shows just that.
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

// HasRead reports whether Weft was asked to read a file of a call, as far as that is kept.
func (t *Turn) HasRead(a *Action) bool {
	return len(t.reads) >= maxReads || slices.ContainsFunc(a.Files, func(f string) bool { return t.reads[f] })
}

// Knows reports whether Weft was asked about the same command or file, as far as that is kept.
func (t *Turn) Knows(a *Action) bool {
	return t.full() || slices.ContainsFunc(t.noted, func(o *Action) bool {
		return o.Kind == a.Kind && (o.runsAny(a.Runs) || slices.ContainsFunc(o.Files, func(path string) bool { return slices.Contains(a.Files, path) }))
	})
}

// asked reports whether Weft was asked about a change of a file.
func (t *Turn) asked(path string) bool {
	return slices.ContainsFunc(t.noted, func(a *Action) bool { return a.Kind != Read && slices.Contains(a.Files, path) })
}

// excuses reports whether Weft was asked about a change of a file, and the answer wasn't no.
func (t *Turn) excuses(path string) bool {
	return slices.ContainsFunc(t.noted, func(a *Action) bool { return !a.Refused && a.Kind != Read && slices.Contains(a.Files, path) })
}

// excusesAll reports whether Weft was asked about something that may change any file, and the answer wasn't no.
func (t *Turn) excusesAll() bool {
	return t.full() || slices.ContainsFunc(t.noted, func(a *Action) bool { return !a.Refused && a.Kind != Read && len(a.Files) == 0 })
}
