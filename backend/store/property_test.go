package store

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
	"weft/backend/store/pages"
)

// script generates random consistent events.
type script struct {
	t        *rapid.T
	messages []*scriptMessage
}

type scriptMessage struct {
	id       string
	segments []*scriptSegment
}

type scriptSegment struct {
	typ   transcript.SegmentType
	items []transcript.ItemType
}

func (s *script) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(s.t, label) }

func (s *script) text() string {
	text := rapid.SampledFrom([]string{"a", " ", "wörter ", "\n\n", "\x00", "日本", "\"q\"", "bad\xffbyte"}).Draw(s.t, "text")
	if s.pick("long", 12) == 0 {
		for len(text) < 5000 {
			text += text
		}
	}
	return text
}

func (s *script) next() transcript.Body {
	if len(s.messages) == 0 || s.pick("start", 15) == 0 {
		m := &scriptMessage{id: fmt.Sprintf("m%d", len(s.messages))}
		s.messages = append(s.messages, m)
		return &transcript.MessageStart{MessageID: m.id, RunID: "r" + m.id, Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent", Name: "é"}}
	}
	m := s.messages[len(s.messages)-1]
	if s.pick("late", 6) == 0 {
		m = s.messages[s.pick("message", len(s.messages))]
	}
	switch s.pick("what", 12) {
	case 0, 1, 2, 3:
		return s.words(m)
	case 4:
		return s.thought(m)
	case 5, 6, 7, 8:
		return s.tool(m)
	case 9:
		m.segments = append(m.segments, &scriptSegment{typ: transcript.SegmentDisplay})
		return &transcript.Display{MessageID: m.id, Segment: len(m.segments) - 1, Display: transcript.Content{Type: "image", Mime: "image/png", URI: s.text()}}
	case 10:
		switch s.pick("rare", 4) {
		case 0:
			return &transcript.OpaqueUpdate{MessageID: m.id, Kind: "novel", Raw: []byte(`{"x":1}`)}
		case 1:
			return &transcript.State{Key: transcript.StatePlan, MessageID: m.id, Value: []byte(`[1]`)}
		case 2:
			return &transcript.Error{MessageID: m.id, Failure: transcript.Failure{Code: "c", Message: s.text()}}
		}
		return &transcript.RunCreated{RunID: "r" + m.id, AgentID: "x"}
	}
	return &transcript.MessageEnd{MessageID: m.id, StopReason: "end_turn", Usage: []byte(`{"n":2}`)}
}

func (m *scriptMessage) last(typ transcript.SegmentType) bool {
	return len(m.segments) > 0 && m.segments[len(m.segments)-1].typ == typ
}

func (s *script) words(m *scriptMessage) transcript.Body {
	if len(m.segments) > 0 && s.pick("old", 5) == 0 {
		if i := s.pick("segment", len(m.segments)); m.segments[i].typ == transcript.SegmentText {
			return words(m.id, i, s.text())
		}
	}
	if !m.last(transcript.SegmentText) {
		m.segments = append(m.segments, &scriptSegment{typ: transcript.SegmentText})
	}
	return words(m.id, len(m.segments)-1, s.text())
}

func (s *script) group(m *scriptMessage) (int, *scriptSegment) {
	if !m.last(transcript.SegmentToolGroup) {
		m.segments = append(m.segments, &scriptSegment{typ: transcript.SegmentToolGroup})
	}
	return len(m.segments) - 1, m.segments[len(m.segments)-1]
}

func (s *script) thought(m *scriptMessage) transcript.Body {
	i, g := s.group(m)
	n := len(g.items)
	if n == 0 || g.items[n-1] != transcript.ItemThought || s.pick("new thought", 3) == 0 {
		g.items = append(g.items, transcript.ItemThought)
		return &transcript.ReasoningDelta{At: at(m.id, i, n), Content: s.text(), ParentToolCallID: "p"}
	}
	return &transcript.ReasoningDelta{At: at(m.id, i, n-1), Content: s.text()}
}

func (s *script) tool(m *scriptMessage) transcript.Body {
	for range 3 {
		if len(m.segments) == 0 {
			break
		}
		i := s.pick("segment", len(m.segments))
		g := m.segments[i]
		if len(g.items) == 0 {
			continue
		}
		k := s.pick("item", len(g.items))
		if g.items[k] == transcript.ItemToolCall {
			return s.update(at(m.id, i, k))
		}
	}
	i, g := s.group(m)
	g.items = append(g.items, transcript.ItemToolCall)
	return &transcript.ToolCallStart{At: at(m.id, i, len(g.items)-1), ToolCallID: s.text(), Title: s.text(), Visibility: s.visibility(), Kind: rapid.SampledFrom([]string{"read", "edit", "other", "display"}).Draw(s.t, "kind"), Status: transcript.StatusPending}
}

func (s *script) visibility() string {
	return rapid.SampledFrom([]string{"", "", "minimal", "hidden"}).Draw(s.t, "visibility")
}

// value returns JSON, or nil. Empty is not the same as absent.
func (s *script) value() []byte {
	return []byte(rapid.SampledFrom([]string{`{"a":[1,2]}`, `"o"`, `{}`, `[]`, `""`}).Draw(s.t, "value"))
}

func (s *script) terminal() string {
	return rapid.SampledFrom([]string{"x", "y"}).Draw(s.t, "terminal")
}

func (s *script) update(p transcript.At) transcript.Body {
	n, status := 4, transcript.StatusRunning
	ref := &transcript.Ref{Hash: "ab", Size: 9}
	switch s.pick("update", 12) {
	case 0:
		return &transcript.ToolInputDelta{At: p, Delta: s.text()}
	case 1:
		return &transcript.ToolOutputDelta{At: p, Delta: s.text()}
	case 2:
		title := s.text()
		return &transcript.ToolCallUpdate{At: p, Title: &title, Status: &status, Visibility: s.visibility(), Content: &[]transcript.Content{{Type: "text", Text: s.text()}}}
	case 3:
		return &transcript.ToolCallUpdate{At: p, Input: s.value(), OutputRef: ref}
	case 4:
		return &transcript.ToolCallEnd{At: p, Status: transcript.StatusCompleted, Summary: s.text(), ResultCount: &n, DurationMs: 5, Output: s.value()}
	case 5:
		return &transcript.ToolCallError{At: p, Error: s.text(), Retryable: true, DurationMs: 6}
	case 7:
		return &transcript.TerminalStart{At: p, TerminalID: s.terminal(), Command: s.text(), StartedAt: 7}
	case 8, 9:
		return &transcript.ToolOutputDelta{At: p, TerminalID: s.terminal(), Delta: s.text(), Offset: int64(s.pick("offset", 12))}
	case 10:
		return &transcript.TerminalEnd{At: p, TerminalID: s.terminal(), TerminalExit: transcript.TerminalExit{Code: &n}, Size: 9, Ref: ref}
	case 6:
		return &transcript.PermissionRequest{At: p, RequestID: "q", Options: []transcript.PermissionOption{{ID: "1", Name: "Yes", Kind: "allow_once"}}, Reading: jsontext.Value(`{"kind":"x","other":[{"name":"a","value":"b"}]}`)}
	}
	return &transcript.PermissionResolved{At: p, RequestID: "q", Outcome: "selected", OptionID: "1", Status: transcript.StatusRunning}
}

// TestRowsEqualFoldedEvents stores random events in random batches with crashes between them, and compares the rows
// with the fold in memory.
func TestRowsEqualFoldedEvents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		s, _, err := Open(ctx, dir, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { s.Close(ctx) }()
		ids, scripts, all := []string{"a", "b"}, map[string]*script{}, map[string][]transcript.Event{}
		for _, id := range ids {
			newSpace(t, s, id)
			scripts[id] = &script{t: rt}
		}
		for range rapid.IntRange(1, 8).Draw(rt, "appends") {
			id := rapid.SampledFrom(ids).Draw(rt, "space")
			bodies := make([]transcript.Body, rapid.IntRange(1, 40).Draw(rt, "bodies"))
			for i := range bodies {
				bodies[i] = scripts[id].next()
			}
			got, err := s.Events.Append(ctx, events.Append{SpaceID: id, At: int64(1000 + len(all[id])), Bodies: bodies})
			if err != nil {
				rt.Fatal(err)
			}
			all[id] = append(all[id], got...)
			switch rapid.IntRange(0, 9).Draw(rt, "then") {
			case 0, 1: // a crash
				copied := copyDB(t, dir)
				s.Close(ctx)
				if s, _, err = Open(ctx, copied, Options{}); err != nil {
					rt.Fatal(err)
				}
				dir = copied
			case 2:
				if err := s.Events.Flush(ctx, id); err != nil {
					rt.Fatal(err)
				}
			}
			compare(rt, s, id, all[id])
		}
		for _, id := range ids {
			if err := s.Events.Flush(ctx, id); err != nil {
				rt.Fatal(err)
			}
			compare(rt, s, id, all[id])
		}
	})
}

// compare checks that the rows equal the fold of their events, and that Since returns the other events.
func compare(t *rapid.T, s *Store, id string, events []transcript.Event) {
	t.Helper()
	ctx := context.Background()
	snap, err := s.Pages.Snapshot(ctx, id, 500)
	if err != nil {
		t.Fatal(err)
	}
	var conv transcript.Conversation
	for i := range events[:snap.Seq] {
		raw, _ := events[i].JSON()
		e, err := transcript.ParseEvent(raw) // as readers get it
		if err != nil {
			t.Fatal(err)
		}
		if err := conv.Apply(&e); err != nil {
			t.Fatal(err)
		}
	}
	var got []*transcript.Message
	for m, err := range s.Pages.Messages(ctx, id) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m)
	}
	want := conv.Messages
	if a, b := plain(t, got), plain(t, want); !reflect.DeepEqual(a, b) {
		t.Fatalf("at %d of %d:\nrows: %v\nfold: %v", snap.Seq, len(events), a, b)
	}
	for _, m := range want {
		countCalls(t, snap, m)
	}
	rest, reset, err := s.Events.Since(id, snap.Epoch, snap.Seq)
	if err != nil || reset || len(rest) != len(events)-int(snap.Seq) {
		t.Fatalf("since %d: %d events, reset %v, %v", snap.Seq, len(rest), reset, err)
	}
	for i := range rest {
		if rest[i].Seq != snap.Seq+int64(i)+1 {
			t.Fatalf("since %d: event %d has seq %d", snap.Seq, i, rest[i].Seq)
		}
	}
}

// countCalls checks the counts of the groups of m in the snapshot.
func countCalls(t *rapid.T, snap *pages.Snapshot, m *transcript.Message) {
	for _, v := range snap.Page.Messages {
		if v.ID != m.ID {
			continue
		}
		for i, sv := range v.Segments {
			kinds, states := map[string]int{}, map[string]int{}
			for _, it := range m.Segments[v.FirstSegment+i].Items {
				if it.Call != nil && (it.Call.Visibility != "hidden" || it.Call.Kind == "display" || slices.Contains([]transcript.Status{"pending", "running", "waiting", "failed"}, it.Call.Status)) {
					if it.Call.Kind != "" {
						kinds[it.Call.Kind]++
					}
					states[string(it.Call.Status)]++
				}
			}
			if !reflect.DeepEqual(kinds, sv.KindCounts) || !reflect.DeepEqual(states, sv.StatusCounts) {
				t.Fatalf("segment %d of %s: counts %v %v, want %v %v", i, m.ID, sv.KindCounts, sv.StatusCounts, kinds, states)
			}
		}
	}
}

// lenient accepts data from agents, which is not always valid JSON.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// plain returns v decoded from JSON, without the difference between empty and absent.
func plain(t *rapid.T, v any) any {
	b, err := json.Marshal(v, lenient)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out, lenient); err != nil {
		t.Fatal(err)
	}
	if out == nil {
		return []any{}
	}
	return out
}
