package store

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// callRow is a tool call that was changed lately. Its streamed texts are not in it.
type callRow struct {
	place
	call         transcript.ToolCall
	kind, status string // as counted, "" while it does not count
	isNew        bool   // not in the table yet
	head, body   bool   // what has to be written
}

func (r *rows) reasoningDelta(sid, at int64, b *transcript.ReasoningDelta) error {
	row, m, err := r.group(sid, b.At)
	if err != nil || row == nil {
		return err
	}
	p := place{m.mid, b.Segment, b.Item}
	fresh := b.Item == row.items
	switch {
	case fresh:
		row.items++
		r.items = append(r.items, &freshItem{place: p, parent: b.ParentToolCallID, started: at})
	case b.Item < 0 || b.Item > row.items:
		return nil
	default:
		if isCall, err := r.isCall(p); err != nil || isCall {
			return err
		}
	}
	r.add(textKey{p, whatText}, b.Content, at, fresh)
	return nil
}

// group answers the tool group that at is in, nil if there is none.
func (r *rows) group(sid int64, at transcript.At) (*segmentRow, *messageRow, error) {
	m, err := r.message(sid, at.MessageID)
	if err != nil || m == nil {
		return nil, nil, err
	}
	row, _, err := r.segment(m, at.Segment, transcript.SegmentToolGroup)
	return row, m, err
}

// isCall reports whether the item at p, which is there, is a tool call.
func (r *rows) isCall(p place) (bool, error) {
	if r.calls[p] != nil {
		return true, nil
	}
	key := textKey{p, whatText}
	if _, known := r.lengths[key]; known || r.texts[key] != nil {
		return false, nil
	}
	var call bool
	_, err := r.c.one("SELECT kind IS NOT NULL FROM item WHERE mid = ? AND seg = ? AND idx = ?", []any{p.mid, p.seg, p.item}, &call)
	return call, err
}

// callEvent applies an event about a tool call; other events change nothing.
func (r *rows) callEvent(sid int64, e *transcript.Event) error {
	at, ok := transcript.Place(e.Body)
	if !ok {
		return nil
	}
	row, m, err := r.group(sid, at)
	if err != nil || row == nil {
		return err
	}
	c, err := r.call(row, place{m.mid, at.Segment, at.Item})
	if err != nil || c == nil {
		return err
	}
	switch b := e.Body.(type) {
	case *transcript.ToolInputDelta:
		r.add(textKey{c.place, whatInput}, b.Delta, e.At, false)
		return nil
	case *transcript.ToolOutputDelta:
		if b.TerminalID != "" {
			return r.terminalDelta(c, e.At, b)
		}
		r.add(textKey{c.place, whatOutput}, b.Delta, e.At, false)
		return nil
	case *transcript.TerminalStart, *transcript.TerminalEnd:
		if err := r.terminalEvent(c, b); err != nil {
			return err
		}
	}
	c.call.InputText, c.call.OutputText = startText, startText
	if !transcript.ApplyToCall(&c.call, e.At, e.Body) {
		return nil
	}
	if c.call.InputText != startText {
		err = r.dropText(textKey{c.place, whatInput})
	}
	if c.call.OutputText != startText && err == nil {
		err = r.dropText(textKey{c.place, whatOutput})
	}
	c.call.InputText, c.call.OutputText = "", ""
	c.body = c.body || touchesBody(e.Body)
	r.touch(c)
	return err
}

// startText stands for a streamed text, to see whether an event drops it.
const startText = "\x00"

// touchesBody reports whether b may change a call's input, content or output.
func touchesBody(b transcript.Body) bool {
	switch b := b.(type) {
	case *transcript.ToolCallStart:
		return true
	case *transcript.ToolCallUpdate:
		return b.Input != nil || b.InputRef != nil || b.Output != nil || b.OutputRef != nil || b.Content != nil || b.ContentRef != nil
	case *transcript.ToolCallEnd:
		return b.Output != nil || b.OutputRef != nil
	case *transcript.ToolCallError:
		return b.Output != nil || b.OutputRef != nil
	}
	return false
}

// call answers the call at p, opening it if it is the next item, nil if there is none.
func (r *rows) call(row *segmentRow, p place) (*callRow, error) {
	if p.item == row.items {
		row.items++
		c := &callRow{place: p, isNew: true, body: true}
		r.calls[p] = c
		r.items = append(r.items, &freshItem{place: p, call: c})
		r.touch(c)
		return c, nil
	}
	if p.item < 0 || p.item > row.items {
		return nil, nil
	}
	if c := r.calls[p]; c != nil {
		return c, nil
	}
	c := &callRow{place: p}
	var kind, status *string
	var head, body []byte
	found, err := r.c.one(`SELECT i.kind, i.status, i.head, b.body FROM item i
		LEFT JOIN call_body b ON b.mid = i.mid AND b.seg = i.seg AND b.item = i.idx
		WHERE i.mid = ? AND i.seg = ? AND i.idx = ?`, []any{p.mid, p.seg, p.item}, &kind, &status, &head, &body)
	if err != nil || !found || kind == nil {
		return nil, err
	}
	if err := decodeCall(&c.call, head, body); err != nil {
		return nil, err
	}
	c.kind, c.status = *kind, *status
	r.calls[p] = c
	return c, nil
}

func decodeCall(c *transcript.ToolCall, head, body []byte) error {
	if err := json.Unmarshal(head, c, lenient); err != nil || body == nil {
		return err
	}
	return json.Unmarshal(body, c, lenient)
}

// callBody is the part of a call that a list of calls does not show.
type callBody struct {
	Input      jsontext.Value       `json:"input,omitzero"`
	InputRef   *transcript.Ref      `json:"inputRef,omitempty"`
	Content    []transcript.Content `json:"content,omitempty"`
	ContentRef *transcript.Ref      `json:"contentRef,omitempty"`
	Output     jsontext.Value       `json:"output,omitzero"`
	OutputRef  *transcript.Ref      `json:"outputRef,omitempty"`
}

func split(c *transcript.ToolCall) (head transcript.ToolCall, body callBody) {
	head = *c
	body = callBody{c.Input, c.InputRef, c.Content, c.ContentRef, c.Output, c.OutputRef}
	head.Input, head.InputRef, head.Content, head.ContentRef, head.Output, head.OutputRef = nil, nil, nil, nil, nil, nil
	return head, body
}

// touch has the head of c written by the next flush, and counts it under what it is now.
func (r *rows) touch(c *callRow) {
	if !c.head {
		c.head = true
		r.dirty = append(r.dirty, c)
	}
	group := segmentKey{c.mid, c.seg}
	kind, status := c.call.Kind, string(c.call.Status)
	if !c.call.Counted() {
		kind, status = "", ""
	}
	if kind != c.kind {
		r.count(group, countKind, c.kind, -1)
		r.count(group, countKind, kind, 1)
		c.kind = kind
	}
	if status != c.status {
		r.count(group, countStatus, c.status, -1)
		r.count(group, countStatus, status, 1)
		c.status = status
	}
}

func (r *rows) count(group segmentKey, what int, name string, by int) {
	if name == "" {
		return
	}
	key := countKey{group, what, name}
	if _, known := r.counts[key]; !known {
		r.counted = append(r.counted, key)
	}
	r.counts[key] += by
}

// dropText forgets what was streamed: the whole has come.
func (r *rows) dropText(key textKey) error {
	if t := r.texts[key]; t != nil {
		t.buf = nil
	}
	r.lengths[key] = 0
	return r.c.exec("DELETE FROM item_part WHERE mid = ? AND seg = ? AND item = ? AND what = ?", key.mid, key.seg, key.item, key.what)
}
