//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/ref"
	"weft/backend/conversation/transcript"
	"weft/backend/store/pages"
)

// stored reads the whole of a space as a frontend could: the snapshot, page by page to the
// beginning, long texts, groups and tool calls pulled, and the events since. It is only for
// spaces in which nothing happens meanwhile. Without details, tool calls are as a group lists
// them: without input, content and output.
func (a *app) stored(space string, details bool) (*transcript.Conversation, error) {
	var snap conversation.Snapshot
	if err := a.try("OpenSpace", ref.SpaceRef{SpaceID: space}, &snap); err != nil {
		return nil, err
	}
	views := snap.Page.Messages
	for more := snap.Page.HasBefore; more; {
		var p pages.Page
		req := conversation.PageRequest{SpaceID: space, Before: &pages.Cursor{Ord: views[0].Ord, Segment: views[0].FirstSegment}, Limit: 500}
		if err := a.try("Page", req, &p); err != nil {
			return nil, err
		}
		if len(p.Messages) == 0 {
			return nil, fmt.Errorf("the page before %+v is empty", *req.Before)
		}
		if last := &p.Messages[len(p.Messages)-1]; last.ID == views[0].ID {
			views[0].Segments = append(last.Segments, views[0].Segments...)
			views[0].FirstSegment = last.FirstSegment
			p.Messages = p.Messages[:len(p.Messages)-1]
		}
		views, more = append(p.Messages, views...), p.HasBefore
	}
	conv := &transcript.Conversation{State: map[transcript.StateKey]transcript.State{}}
	for i := range views {
		if err := a.load(conv, space, &views[i], details); err != nil {
			return nil, err
		}
	}
	for key, value := range snap.State {
		conv.State[transcript.StateKey(key)] = transcript.State{Key: transcript.StateKey(key), Value: value}
	}
	var since conversation.Events
	if err := a.try("Since", conversation.SinceRequest{SpaceID: space, Epoch: snap.Epoch, Seq: snap.Seq}, &since); err != nil {
		return nil, err
	}
	if since.Reset {
		return nil, fmt.Errorf("the events after the snapshot's %d are gone", snap.Seq)
	}
	for _, raw := range since.Events {
		e, err := transcript.ParseEvent(raw)
		if err == nil {
			err = conv.Apply(&e)
		}
		if err != nil {
			return nil, err
		}
	}
	return conv, nil
}

// load adds a message to a conversation as the snapshot has it.
func (a *app) load(conv *transcript.Conversation, space string, v *pages.MessageView, details bool) error {
	m, err := a.whole(space, v, details)
	if err != nil {
		return err
	}
	if err := conv.Apply(&transcript.Event{Body: &transcript.MessageStart{MessageID: m.ID}}); err != nil {
		return err
	}
	*messageOf(conv, m.ID) = *m
	return nil
}

// whole makes a message of its view, pulling what the view leaves out.
func (a *app) whole(space string, v *pages.MessageView, details bool) (*transcript.Message, error) {
	m := &transcript.Message{
		ID: v.ID, RunID: v.RunID, Role: v.Role, Author: v.Author, Model: v.Model, CreatedAt: v.CreatedAt, EndedAt: v.EndedAt,
		StopReason: v.StopReason, Usage: v.Usage, Error: v.Error, Segments: []*transcript.Segment{}, Opaque: v.Opaque,
	}
	if string(m.Usage) == "null" {
		m.Usage = nil
	}
	if len(v.Segments) != v.SegmentCount {
		return nil, fmt.Errorf("message %s has %d segments, %d were on its pages", v.ID, v.SegmentCount, len(v.Segments))
	}
	for i := range v.Segments {
		s := &v.Segments[i]
		out := &transcript.Segment{Type: s.Type, Text: s.Text, Author: s.Author, ParentToolCallID: s.ParentToolCallID, Display: s.Display}
		m.Segments = append(m.Segments, out)
		if s.TextStart > 0 {
			var part conversation.SegmentTextResult
			if err := a.try("SegmentText", conversation.SegmentTextRequest{SpaceID: space, MessageID: v.ID, Segment: i, To: s.TextStart}, &part); err != nil {
				return nil, err
			}
			out.Text = part.Text + s.Text
		}
		items := s.Items
		for from := 0; from < s.FirstItem; from += 500 {
			var earlier []pages.ItemView
			req := conversation.GroupItemsRequest{SpaceID: space, MessageID: v.ID, Segment: i, From: from, To: min(from+500, s.FirstItem)}
			if err := a.try("GroupItems", req, &earlier); err != nil {
				return nil, err
			}
			items = slices.Insert(items, from, earlier...)
		}
		for n := range items {
			it := items[n].Item
			if it.Call != nil && details {
				var d pages.ToolDetail
				if err := a.try("ToolDetail", conversation.ToolDetailRequest{SpaceID: space, MessageID: v.ID, Segment: i, Item: n}, &d); err != nil {
					return nil, err
				}
				it.Call = &d.ToolCall
			}
			out.Items = append(out.Items, &it)
		}
	}
	return m, nil
}

// same checks that what a subscriber has folded is what the store has.
func same(t testing.TB, folded, stored *transcript.Conversation) {
	t.Helper()
	if len(folded.Messages) != len(stored.Messages) {
		t.Fatalf("%d messages were shown, %d are stored\nshown\n%s\nstored\n%s", len(folded.Messages), len(stored.Messages), dump(folded.Messages), dump(stored.Messages))
	}
	for i, m := range folded.Messages {
		if a, b := picture(m), picture(stored.Messages[i]); a != b {
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			from := max(0, at-100)
			t.Fatalf("message %d was shown and stored differently at byte %d:\n…%.300s\n…%.300s", i, at, a[from:], b[from:])
		}
	}
}

// picture is a message as text that can be compared.
func picture(v any) string {
	if m, ok := v.(*transcript.Message); ok && len(m.Opaque) == 0 {
		c := *m
		c.Opaque, v = nil, &c
	}
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// messageOf returns a message of a conversation, nil if it has none with the id.
func messageOf(c *transcript.Conversation, id string) *transcript.Message {
	for _, m := range c.Messages {
		if m.ID == id {
			return m
		}
	}
	return nil
}
