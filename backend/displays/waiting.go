package displays

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Display is one that the user can answer, or that ends by itself, in the space in which it is drawn.
type Display struct {
	Request string // its id
	Tool    string
	Title   string
	Input   jsontext.Value
	At      int64  // unix ms
	RunID   string // that shows it
	// SpaceID and MemberID are whose run that is.
	SpaceID, MemberID string
	// Open says that the user can answer, and nobody waits for it: the run continues.
	Open bool

	// Call is the call as which it is drawn, in the message of Fold. Both are set before [Waiting.Draw]; a call that doesn't exist yet has no id.
	Call string
	Fold *transcript.Fold

	answer chan jsontext.Value // gets the answer, once, while someone waits for it
	late   bool                // nobody does any more
	result jsontext.Value      // of a tool that was run, of one that is open
}

// New returns a display that is not drawn yet.
func New(d Display) *Display {
	d.answer = make(chan jsontext.Value, 1)
	return &d
}

// Answer gets the user's answer, and is closed behind it, or where there will be none. It needs no lock.
func (d *Display) Answer() <-chan jsontext.Value { return d.answer }

// Expire notes that nobody waits for the answer any more: it will be the agent's next prompt. The lock of the space is held.
func (d *Display) Expire() { d.late = true }

// Next reports whether an answer is the agent's next prompt, as nobody waits for it. The lock of the space is held.
func (d *Display) Next() bool { return d.late || d.Open }

// Late returns an answer as the agent gets it with its next prompt.
func (d *Display) Late(answer jsontext.Value, cancel bool) Late {
	return Late{Tool: d.Tool, Title: d.Title, Input: d.Input, Answer: answer, Cancel: cancel}
}

// Waiting are the displays of a space that the user can answer. It belongs to whoever has the lock of the space. The zero value has none.
type Waiting struct {
	list map[string]*Display // by request
}

// Draw puts a display into its message, as its call. await says that an agent waits for the answer. newCall is the id of its call if it has none yet.
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

// Fill ends the call of a display that nobody has to answer, with a result or with why there is none.
func (w *Waiting) Fill(d *Display, result jsontext.Value, err error, now int64) {
	if err == nil && d.Open {
		d.result = result
		w.add(d)
	}
	p := Filled(d.Call, result, err, d.Open, now)
	d.Fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, now)
}

// Find returns the display that is drawn as a call, nil if it can't be answered.
func (w *Waiting) Find(messageID, toolCallID string) *Display {
	for _, d := range w.list {
		if d.Call == toolCallID && d.Fold.ID == messageID {
			return d
		}
	}
	return nil
}

// Takes reports whether a display takes an answer, or, with cancel, that there will be none.
func (w *Waiting) Takes(d *Display, cancel bool) bool {
	return w.list[d.Request] == d && (!d.Open || !cancel)
}

// Resolve gives the user's answer to a display, or none with cancel; summary is the answer in a line. hand must be called once that is stored, with the
// lock of the space: it gives the answer to the one that waits, and returns false if nobody does any more although someone did until now.
func (w *Waiting) Resolve(d *Display, answer jsontext.Value, summary string, cancel bool, now int64) (hand func() bool) {
	delete(w.list, d.Request)
	is := Answered(Output{Answer: answer, Result: d.result, At: now}, summary, cancel, d.late, d.Open)
	p := &transcript.ToolPatch{ID: d.Call, Output: is.Output, Summary: &is.Summary}
	if !d.Open {
		d.Fold.ResolvePermission(d.Request, transcript.Resolution{Outcome: "selected", OptionID: is.Option}, now)
		p.Status = &is.Status
	}
	d.Fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, now)
	waited := !d.Next()
	return func() bool {
		defer close(d.answer)
		if waited && !d.late && !cancel {
			d.answer <- answer // has room
		}
		return !waited || !d.late
	}
}

// Leave is for the end of a run: what it has shown and nobody has answered waits on, and its answer will be the agent's
// next prompt. It returns what was withdrawn with the run: [Display.End] must be called for each of these, as an effect.
func (w *Waiting) Leave(runID string) (withdrawn []*Display) {
	for id, d := range w.list {
		switch {
		case d.RunID != runID:
		case d.Open && !d.Fold.Waits(d.Request):
			delete(w.list, id) // from now on the store knows it
		case d.Fold.Waits(d.Request):
			d.late = true
		default:
			delete(w.list, id)
			withdrawn = append(withdrawn, d)
		}
	}
	return withdrawn
}

// End says to the one that waits that there will be no answer.
func (d *Display) End() { close(d.answer) }

// All returns the displays that an agent waits for, or has waited for, the oldest first.
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
