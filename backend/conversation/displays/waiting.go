package displays

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// Display is a display in the space where it is drawn. The user can answer it, or it ends by itself.
type Display struct {
	Request string // its id, unique in the space
	Tool    string
	Title   string
	Input   jsontext.Value
	At      int64  // unix ms
	RunID   string // of the run that shows it
	// SpaceID and MemberID are those of the run, which may belong to another space.
	SpaceID, MemberID string
	// Open means that the user can answer but no agent waits: the run continues.
	Open bool

	// Call is the id of its tool call in the message of Fold. Both are set before [Waiting.Draw]; Call is "" if the
	// call doesn't exist yet.
	Call string
	Fold *transcript.Fold

	answer chan jsontext.Value // gets the answer, once, if the agent still waits
	fate   *atomic.Int32       // one of the constants below
	result jsontext.Value      // of the tool that was run, for an open display
}

// New returns a display that is not drawn yet.
func New(d Display) *Display {
	d.answer, d.fate = make(chan jsontext.Value, 1), new(atomic.Int32)
	return &d
}

const (
	awaited int32 = iota // the agent waits, or will
	ended                // the agent gets the answer, or learns that there is none
	late                 // the agent has stopped waiting
)

// Answer returns a channel that receives the user's answer and is then closed. It is closed without one if there will
// be none. It needs no lock.
func (d *Display) Answer() <-chan jsontext.Value { return d.answer }

// Expire notes that the agent stopped waiting: the answer will be its next prompt. It returns false if the wait is over
// already, so that [Display.Answer] gets the answer or is closed. It needs no lock, and works before the display is
// drawn, too.
func (d *Display) Expire() bool { return d.fate.CompareAndSwap(awaited, late) || d.isLate() }

// Next reports whether no agent waits, so that an answer is its next prompt.
func (d *Display) Next() bool { return d.isLate() || d.Open }

func (d *Display) isLate() bool { return d.fate.Load() == late }

// Late returns an answer for the agent's next prompt.
func (d *Display) Late(answer jsontext.Value, cancel bool) Late {
	return Late{Tool: d.Tool, Title: d.Title, Input: d.Input, Answer: answer, Cancel: cancel}
}

// Waiting holds the displays of a space that the user can answer. Its methods need the lock of the space. The zero
// value is empty.
type Waiting struct {
	list map[string]*Display // by request
}

// Draw adds a display to its message. await says that an agent waits for the answer. newCall returns the id of the call
// if it has none yet.
func (w *Waiting) Draw(d *Display, await bool, drawn jsontext.Value, newCall func() string, now int64) {
	kind, title := transcript.KindDisplay, d.Title
	p := &transcript.ToolPatch{ID: d.Call, Name: &d.Tool, Title: &title, Kind: &kind, Input: d.Input, Drawn: drawn}
	if d.Call == "" {
		d.Call = newCall()
		p.ID, p.Announced = d.Call, true
	}
	switch {
	case await:
		d.Fold.AskDisplay(p, d.Request, now)
		w.add(d)
	default:
		running := transcript.StatusRunning
		p.Status = &running
		d.Fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, now)
	}
}

func (w *Waiting) add(d *Display) {
	if w.list == nil {
		w.list = map[string]*Display{}
	}
	w.list[d.Request] = d
}

// Fill ends the call of a display that needs no answer, with a result or an error.
func (w *Waiting) Fill(d *Display, result jsontext.Value, err error, now int64) {
	if err == nil && d.Open {
		d.result = result
		w.add(d)
	}
	p := Filled(d.Call, result, err, d.Open, now)
	d.Fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, now)
}

// Find returns the display of a tool call, or nil if it can't be answered.
func (w *Waiting) Find(messageID, toolCallID string) *Display {
	for _, d := range w.list {
		if d.Call == toolCallID && d.Fold.ID == messageID {
			return d
		}
	}
	return nil
}

// Takes reports whether a display can be answered, or with cancel, canceled.
func (w *Waiting) Takes(d *Display, cancel bool) bool {
	return w.list[d.Request] == d && (!d.Open || !cancel)
}

// Resolve ends a display with the user's answer, or cancels it; summary is the answer in one line. next reports whether
// no agent waits, so that the answer is its next prompt. The caller must call hand once this is stored: hand delivers the
// answer to the waiting agent, and returns false if the agent has stopped waiting in the meantime.
func (w *Waiting) Resolve(d *Display, answer jsontext.Value, summary string, cancel bool, now int64) (next bool, hand func() bool) {
	delete(w.list, d.Request)
	next = d.Next()
	is := Answered(Output{Answer: answer, Result: d.result, At: now}, summary, cancel, next, d.Open)
	p := &transcript.ToolPatch{ID: d.Call, Output: is.Output, Summary: &is.Summary}
	if !d.Open {
		d.Fold.ResolvePermission(d.Request, transcript.Resolution{Outcome: "selected", OptionID: is.Option}, now)
		p.Status = &is.Status
	}
	d.Fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, now)
	return next, func() bool {
		defer close(d.answer)
		if next {
			return true
		}
		if !d.fate.CompareAndSwap(awaited, ended) {
			return false
		}
		if !cancel {
			d.answer <- answer // buffered, never blocks
		}
		return true
	}
}

// Leave handles the end of a run: its unanswered displays stay, and an answer will be the agent's next prompt. It
// returns the displays that were withdrawn with the run: the caller must call [Display.End] for each, as an effect.
func (w *Waiting) Leave(runID string) (withdrawn []*Display) {
	for id, d := range w.list {
		switch {
		case d.RunID != runID:
		case d.Open && !d.Fold.Waits(d.Request):
			delete(w.list, id) // from now on it is answered from the store
		case d.Fold.Waits(d.Request):
			d.Expire()
		default:
			delete(w.list, id)
			withdrawn = append(withdrawn, d)
		}
	}
	return withdrawn
}

// End tells the waiting agent that there will be no answer.
func (d *Display) End() {
	d.fate.CompareAndSwap(awaited, ended)
	close(d.answer)
}

// All returns the displays that an agent waits for or waited for, oldest first.
func (w *Waiting) All() []*Display {
	list := make([]*Display, 0, len(w.list))
	for _, d := range w.list {
		if !d.Open {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *Display) int { return cmp.Or(cmp.Compare(a.At, b.At), strings.Compare(a.Request, b.Request)) })
	return list
}
