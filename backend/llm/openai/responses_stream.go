package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"weft/backend/llm"
	"weft/backend/llm/assemble"
)

func (m *model) streamResponses(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	a := newResponses(m.server, req, emit)
	items, err := responseItems(m.server, req)
	if err != nil {
		return a.response(), err
	}
	tools, err := functions(req)
	if err != nil {
		return a.response(), err
	}
	form, err := outputOf(req)
	if err != nil {
		return a.response(), err
	}
	events, err := m.send(ctx, req, "responses", func(q quirks) any { return responsesRequest(req, items, tools, form, q) })
	if err != nil {
		return a.response(), err
	}
	defer events.close()
	err = a.read(ctx, events)
	return a.response(), err
}

// responsesAnswer is an answer of Responses that is being read.
type responsesAnswer struct {
	server  *server
	answer  *assemble.Answer
	items   map[int]*item // by output_index
	refused bool
	ended   bool
	stop    llm.Stop
	usage   llm.Usage
	name    string
}

func newResponses(s *server, req llm.Request, emit func(llm.Delta)) *responsesAnswer {
	return &responsesAnswer{server: s, answer: assemble.New(req, emit), items: map[int]*item{}}
}

// item is one item of the output.
type item struct {
	kind  string // message, reasoning, function_call
	parts map[int]*assemble.Part
	last  *assemble.Part // of a reasoning: the one part it has
	piece string         // of a reasoning: which summary is being written
	seal  itemSeal
}

// responsesEvent is what one event holds, of all types.
type responsesEvent struct {
	Type         string          `json:"type"`
	Object       string          `json:"object"` // "response": a server that does not stream
	OutputIndex  int             `json:"output_index"`
	ContentIndex int             `json:"content_index"`
	SummaryIndex int             `json:"summary_index"`
	Delta        string          `json:"delta"`
	Text         string          `json:"text"`
	Refusal      string          `json:"refusal"`
	Arguments    string          `json:"arguments"`
	Item         json.RawMessage `json:"item"`
	Response     json.RawMessage `json:"response"`
	Error        json.RawMessage `json:"error"`
}

// outputItem is an item as it begins and as it ends.
type outputItem struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Phase     string `json:"phase"`
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
	EncryptedContent string `json:"encrypted_content"`
}

// read takes the events until the answer is complete.
func (a *responsesAnswer) read(ctx context.Context, events *events) error {
	for !a.ended && events.next() {
		var e responsesEvent
		if err := events.decode(&e); err != nil {
			return a.server.end.NetworkError(ctx, err)
		}
		if e.Type == "" && events.isError() {
			return a.server.streamError(events.data)
		}
		if err := a.event(e, events.data); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case a.ended:
		return nil
	}
	if err := events.failed(); err != nil {
		return a.server.end.NetworkError(ctx, err)
	}
	return a.server.end.Broken()
}

func (a *responsesAnswer) event(e responsesEvent, data []byte) error {
	switch e.Type {
	case "response.output_item.added":
		a.begin(e.OutputIndex, e.Item)
	case "response.output_item.done":
		a.finish(e.OutputIndex, e.Item)
	case "response.output_text.delta":
		a.text(e, false).Add(e.Delta)
	case "response.output_text.done":
		a.text(e, false).Complete(e.Text)
	case "response.refusal.delta":
		a.text(e, true).Add(e.Delta)
	case "response.refusal.done":
		a.text(e, true).Complete(e.Refusal)
	case "response.reasoning_summary_text.delta":
		a.think(e.OutputIndex, "s", e.SummaryIndex, e.Delta)
	case "response.reasoning_text.delta":
		a.think(e.OutputIndex, "c", e.ContentIndex, e.Delta)
	case "response.function_call_arguments.delta":
		a.input(e.OutputIndex).Add(e.Delta)
	case "response.function_call_arguments.done":
		a.input(e.OutputIndex).Complete(e.Arguments)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		return a.end(e.Response)
	case "error":
		return a.server.streamError(data)
	case "":
		if e.Object == "response" {
			return a.end(data)
		}
		if given(e.Error) != nil {
			return a.server.streamError(data)
		}
	default:
		if e.Response != nil {
			a.named(e.Response)
		}
	}
	return nil
}

func (a *responsesAnswer) named(raw json.RawMessage) {
	var r struct {
		Model string `json:"model"`
	}
	if json.Unmarshal(raw, &r) == nil && r.Model != "" {
		a.name = r.Model
	}
}

// begin opens an item. Its place in the message is where it begins.
func (a *responsesAnswer) begin(index int, raw json.RawMessage) *item {
	var o outputItem
	if it := a.items[index]; it != nil || lenient(json.Unmarshal(raw, &o)) != nil {
		return it
	}
	it := &item{kind: o.Type, parts: map[int]*assemble.Part{}, seal: itemSeal{At: a.server.host, ID: o.ID, Phase: o.Phase}}
	a.items[index] = it
	switch o.Type {
	case "function_call":
		it.last = a.answer.Call(cmp.Or(o.CallID, o.ID), o.Name)
		if o.ID != "" {
			it.last.Sealed = it.seal.seal()
		}
	case "reasoning":
		it.last = a.answer.BeginThinking()
	}
	return it
}

// finish takes an item as it is in the end: what of it was not streamed is added.
func (a *responsesAnswer) finish(index int, raw json.RawMessage) {
	var o outputItem
	it := a.begin(index, raw)
	if it == nil || lenient(json.Unmarshal(raw, &o)) != nil || o.Type != it.kind {
		return
	}
	switch o.Type {
	case "function_call":
		it.last.Complete(o.Arguments)
	case "reasoning":
		if it.last.Len() == 0 {
			for i, s := range o.Summary {
				a.think(index, "s", i, s.Text)
			}
			for i, c := range o.Content {
				a.think(index, "c", i, c.Text)
			}
		}
		if o.EncryptedContent != "" || len(o.Content) > 0 {
			it.last.Sealed = itemSeal{At: a.server.host, Item: raw}.seal()
		}
	case "message":
		it.seal.Phase = cmp.Or(o.Phase, it.seal.Phase)
		for i, c := range o.Content {
			part := a.text(responsesEvent{OutputIndex: index, ContentIndex: i}, c.Type == "refusal")
			part.Complete(c.Text + c.Refusal)
			if s := it.seal; s.ID != "" {
				s.Refusal = c.Type == "refusal"
				part.Sealed = s.seal()
			}
		}
	}
}

// at is the item with an index; one that was not announced begins now.
func (a *responsesAnswer) at(index int, kind string) *item {
	it := a.items[index]
	if it == nil {
		it = a.begin(index, json.RawMessage(`{"type":"`+kind+`"}`))
	}
	return it
}

// text is the part of a message that an event is about.
func (a *responsesAnswer) text(e responsesEvent, refusal bool) *assemble.Part {
	it := a.at(e.OutputIndex, "message")
	part := it.parts[e.ContentIndex]
	if part == nil {
		part = a.answer.BeginText()
		it.parts[e.ContentIndex] = part
	}
	a.refused = a.refused || refusal
	return part
}

// think adds to a reasoning. Its summaries, and its text where a server gives it, are parted by an empty line.
func (a *responsesAnswer) think(index int, kind string, piece int, text string) {
	it := a.at(index, "reasoning")
	if it.kind != "reasoning" {
		a.answer.Thinking(text)
		return
	}
	if text == "" {
		return
	}
	if at := kind + strconv.Itoa(piece); at != it.piece {
		if it.piece = at; it.last.Len() > 0 {
			text = "\n\n" + text
		}
	}
	it.last.Add(text)
}

// input is the call that an event is about.
func (a *responsesAnswer) input(index int) *assemble.Part {
	it := a.at(index, "function_call")
	if it.kind != "function_call" { // what comes is kept as a text rather than lost
		return a.text(responsesEvent{OutputIndex: index, ContentIndex: -1}, false)
	}
	return it.last
}

// end takes the whole answer, with which the stream ends.
func (a *responsesAnswer) end(raw json.RawMessage) error {
	var r struct {
		Status            string            `json:"status"`
		Output            []json.RawMessage `json:"output"`
		Usage             responsesUsage    `json:"usage"`
		Error             json.RawMessage   `json:"error"`
		IncompleteDetails struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
	}
	if err := lenient(json.Unmarshal(raw, &r)); err != nil {
		return a.server.end.Broken()
	}
	a.named(raw)
	a.usage = r.Usage.usage()
	if given(r.Error) != nil || r.Status == "failed" {
		return a.server.streamError(raw)
	}
	if r.Status == "cancelled" {
		return a.server.end.Broken()
	}
	a.ended = true
	nothing := a.answer.Empty()
	if nothing {
		clear(a.items)
	}
	for i, o := range r.Output {
		if nothing || a.items[i] != nil { // a server that counts differently would say everything twice
			a.finish(i, o)
		}
	}
	switch {
	case r.Status != "incomplete":
	case r.IncompleteDetails.Reason == "content_filter":
		a.stop = llm.StopRefusal
	default:
		a.stop = llm.StopLength
	}
	return nil
}

func (a *responsesAnswer) response() llm.Response {
	r := llm.Response{Message: a.answer.Message(), Usage: a.usage, Model: a.name, Stop: a.stop}
	switch {
	case r.Stop != "":
	case len(a.answer.Calls()) > 0:
		r.Stop = llm.StopTools
	case a.refused:
		r.Stop = llm.StopRefusal
	default:
		r.Stop = llm.StopEnd
	}
	return r
}
