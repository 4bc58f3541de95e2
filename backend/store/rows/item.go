package rows

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// callRow is a tool call that was changed recently, without its streamed texts.
type callRow struct {
	Location
	call         transcript.ToolCall
	kind, status string // as counted, "" if the call isn't counted
	isNew        bool   // not in the table yet
	head, body   bool   // which parts must be written
}

func (f *Fold) reasoningDelta(sid, at int64, b *transcript.ReasoningDelta) error {
	row, m, err := f.group(sid, b.At)
	if err != nil || row == nil {
		return err
	}
	p := Location{m.Mid, b.Segment, b.Item}
	fresh := b.Item == row.items
	switch {
	case fresh:
		row.items++
		f.items = append(f.items, &freshItem{Location: p, parent: b.ParentToolCallID, started: at})
	case b.Item < 0 || b.Item > row.items:
		return nil
	default:
		if isCall, err := f.isCall(p); err != nil || isCall {
			return err
		}
	}
	f.add(TextKey{p, Text}, b.Content, at, fresh)
	return nil
}

// group returns the tool group of at, nil if there is none.
func (f *Fold) group(sid int64, at transcript.At) (*segmentRow, *messageRow, error) {
	m, err := f.message(sid, at.MessageID)
	if err != nil || m == nil {
		return nil, nil, err
	}
	row, _, err := f.segment(m, at.Segment, transcript.SegmentToolGroup)
	return row, m, err
}

// isCall reports whether the item at p, which exists, is a tool call.
func (f *Fold) isCall(p Location) (bool, error) {
	if f.calls[p] != nil {
		return true, nil
	}
	key := TextKey{p, Text}
	if _, known := f.lengths[key]; known || f.texts[key] != nil {
		return false, nil
	}
	var call bool
	_, err := f.conn.One("SELECT kind IS NOT NULL FROM item WHERE mid = ? AND seg = ? AND idx = ?", []any{p.Mid, p.Seg, p.Item}, &call)
	return call, err
}

// callEvent applies an event about a tool call. Other events change nothing.
func (f *Fold) callEvent(sid int64, e *transcript.Event) error {
	at, ok := transcript.Place(e.Body)
	if !ok {
		return nil
	}
	row, m, err := f.group(sid, at)
	if err != nil || row == nil {
		return err
	}
	c, err := f.call(row, Location{m.Mid, at.Segment, at.Item})
	if err != nil || c == nil {
		return err
	}
	switch b := e.Body.(type) {
	case *transcript.ToolInputDelta:
		f.add(TextKey{c.Location, Input}, b.Delta, e.At, false)
		return nil
	case *transcript.ToolOutputDelta:
		if b.TerminalID != "" {
			return f.terminalDelta(c, e.At, b)
		}
		f.add(TextKey{c.Location, Output}, b.Delta, e.At, false)
		return nil
	case *transcript.TerminalStart, *transcript.TerminalEnd:
		if err := f.terminalEvent(c, b); err != nil {
			return err
		}
	}
	c.call.InputText, c.call.OutputText = startText, startText
	if !transcript.ApplyToCall(&c.call, e.At, e.Body) {
		return nil
	}
	if c.call.InputText != startText {
		err = f.dropText(TextKey{c.Location, Input})
	}
	if c.call.OutputText != startText && err == nil {
		err = f.dropText(TextKey{c.Location, Output})
	}
	c.call.InputText, c.call.OutputText = "", ""
	c.body = c.body || touchesBody(e.Body)
	f.touch(c)
	return err
}

// startText stands for a streamed text, to find out whether an event drops it.
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

// call returns the call at p, nil if there is none. If p is the next item it begins a call.
func (f *Fold) call(row *segmentRow, p Location) (*callRow, error) {
	if p.Item == row.items {
		row.items++
		c := &callRow{Location: p, isNew: true, body: true}
		f.calls[p] = c
		f.items = append(f.items, &freshItem{Location: p, call: c})
		f.touch(c)
		return c, nil
	}
	if p.Item < 0 || p.Item > row.items {
		return nil, nil
	}
	if c := f.calls[p]; c != nil {
		return c, nil
	}
	c := &callRow{Location: p}
	var kind, status *string
	var head, body []byte
	found, err := f.conn.One(`SELECT i.kind, i.status, i.head, b.body FROM item i
		LEFT JOIN call_body b ON b.Mid = i.Mid AND b.Seg = i.Seg AND b.Item = i.idx
		WHERE i.Mid = ? AND i.Seg = ? AND i.idx = ?`, []any{p.Mid, p.Seg, p.Item}, &kind, &status, &head, &body)
	if err != nil || !found || kind == nil {
		return nil, err
	}
	if err := DecodeCall(&c.call, head, body); err != nil {
		return nil, err
	}
	c.kind, c.status = *kind, *status
	f.calls[p] = c
	return c, nil
}

// DecodeCall reads the columns of a call. body may be NULL.
func DecodeCall(c *transcript.ToolCall, head, body []byte) error {
	if err := db.Decode(head, c); err != nil {
		return err
	}
	return db.Decode(body, c)
}

// callBody is the part of a call that lists of calls do not need.
type callBody struct {
	Input      jsontext.Value       `json:"input,omitzero"`
	InputRef   *transcript.Ref      `json:"inputRef,omitempty"`
	Content    []transcript.Content `json:"content,omitempty"`
	ContentRef *transcript.Ref      `json:"contentRef,omitempty"`
	Output     jsontext.Value       `json:"output,omitzero"`
	OutputRef  *transcript.Ref      `json:"outputRef,omitempty"`
}

// CallHead is the part of a call that lists of calls need.
type CallHead struct {
	transcript.ToolCall
	// Place is the location of the call's first diff, or nil if there is none or the call has locations. It is derived
	// from the other fields.
	Place *transcript.Location `json:"place,omitempty"`
}

// split splits a call into the two parts that are stored.
func split(c *transcript.ToolCall) (head CallHead, body callBody) {
	head = CallHead{ToolCall: *c, Place: placeOf(c)}
	body = callBody{c.Input, c.InputRef, c.Content, c.ContentRef, c.Output, c.OutputRef}
	head.Input, head.InputRef, head.Content, head.ContentRef, head.Output, head.OutputRef = nil, nil, nil, nil, nil, nil
	return head, body
}

// placeOf returns the place of the first diff of a call that has no locations.
func placeOf(c *transcript.ToolCall) *transcript.Location {
	if len(c.Locations) > 0 || c.LocationsRef != nil {
		return nil
	}
	for i := range c.Content {
		if d := &c.Content[i]; d.Type == "diff" && d.Path != "" {
			place := &transcript.Location{Path: d.Path}
			if d.Line > 0 {
				place.Line = &d.Line
			}
			return place
		}
	}
	return nil
}

// touch marks the head of c to be written by the next flush, and updates the counts of its group.
func (f *changes) touch(c *callRow) {
	if !c.head {
		c.head = true
		f.dirty = append(f.dirty, c)
	}
	group := segmentKey{c.Mid, c.Seg}
	kind, status := c.call.Kind, string(c.call.Status)
	if !c.call.Counted() {
		kind, status = "", ""
	}
	if kind != c.kind {
		f.count(group, CountKind, c.kind, -1)
		f.count(group, CountKind, kind, 1)
		c.kind = kind
	}
	if status != c.status {
		f.count(group, CountStatus, c.status, -1)
		f.count(group, CountStatus, status, 1)
		c.status = status
	}
}

func (f *changes) count(group segmentKey, kind int, name string, by int) {
	if name == "" {
		return
	}
	key := countKey{group, kind, name}
	if _, known := f.counts[key]; !known {
		f.countKeys = append(f.countKeys, key)
	}
	f.counts[key] += by
}

// dropText drops the streamed part of a text, because the complete text arrived.
func (f *changes) dropText(key TextKey) error {
	if t := f.texts[key]; t != nil {
		t.buf = nil
	}
	f.lengths[key] = 0
	return f.conn.Exec("DELETE FROM item_part WHERE mid = ? AND seg = ? AND item = ? AND what = ?", key.Mid, key.Seg, key.Item, key.What)
}
