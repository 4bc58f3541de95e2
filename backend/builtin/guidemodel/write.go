package guidemodel

import (
	"context"
	"encoding/json"
	"fmt"

	"weft/backend/llm"
)

// write emits the message and says how it ends. Before a call, everything that is new goes along, the plan as one
// more call. The last message of an answer is text alone, so a plan that belongs to it goes first, in a message of
// its own: else there would have to be an empty one after it.
func (t *turn) write(ctx context.Context, w *writer) llm.Stop {
	items := t.fresh
	if t.at < len(t.past) {
		items = append([]item{{kind: said, text: doesNotFit + "\n\n"}}, items...)
	}
	if t.wanted != nil {
		items = append(items, *t.wanted)
	} else if plan, rest := splitPlan(items); plan != nil {
		items = rest
		if !t.planKnown(plan.input) {
			items = []item{*plan}
		}
	}
	if len(items) == 0 {
		items = []item{{kind: said, text: "I have nothing to add."}}
	}
	for _, it := range items {
		if ctx.Err() != nil {
			break
		}
		w.item(it)
	}
	w.flush()
	if w.calls > 0 {
		return llm.StopTools
	}
	return llm.StopEnd
}

func splitPlan(items []item) (plan *item, rest []item) {
	for _, it := range items {
		if it.kind == planned {
			plan = &it
		} else {
			rest = append(rest, it)
		}
	}
	return plan, rest
}

// planKnown reports whether a plan was shown since the last call that has been used.
func (t *turn) planKnown(input json.RawMessage) bool {
	from := 0
	if t.at > 0 {
		from = t.past[t.at-1].plans
	}
	for _, p := range t.plans[from:] {
		if sameJSON(p, input) {
			return true
		}
	}
	return false
}

// writer puts a message together and emits its pieces.
type writer struct {
	emit    func(llm.Delta)
	message llm.Message
	ids     map[string]bool
	calls   int
	open    itemKind // of the pieces in text
	text    string
}

func (w *writer) item(it item) {
	if it.kind != w.open {
		w.flush()
		w.open = it.kind
	}
	switch it.kind {
	case said:
		w.text += it.text
		w.emit(llm.Delta{Kind: llm.DeltaText, Text: it.text})
	case thought:
		w.text += it.text
		w.emit(llm.Delta{Kind: llm.DeltaThinking, Text: it.text})
	case planned, called:
		w.call(it)
	}
}

func (w *writer) call(it item) {
	id := w.freeID()
	w.emit(llm.Delta{Kind: llm.DeltaCallStart, Call: w.calls, ID: id, Name: it.text})
	w.emit(llm.Delta{Kind: llm.DeltaCallInput, Call: w.calls, Text: string(it.input)})
	w.calls++
	w.message.Parts = append(w.message.Parts, llm.ToolCall{ID: id, Name: it.text, Input: it.input})
}

// flush closes the text or the thinking that is open.
func (w *writer) flush() {
	switch {
	case w.text == "":
	case w.open == thought:
		w.message.Parts = append(w.message.Parts, llm.Thinking{Text: w.text})
	default:
		w.message.Parts = append(w.message.Parts, llm.Text{Text: w.text})
	}
	w.text = ""
}

// freeID answers an id that no call of the conversation has.
func (w *writer) freeID() string {
	for n := len(w.ids) + 1; ; n++ {
		if id := fmt.Sprintf("guide-%d", n); !w.ids[id] {
			w.ids[id] = true
			return id
		}
	}
}

func idsOf(messages []llm.Message) map[string]bool {
	ids := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls() {
			ids[c.ID] = true
		}
	}
	return ids
}
