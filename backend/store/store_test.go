package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/events"
	"weft/backend/store/pages"
	"weft/backend/store/spaces"
)

func open(tb testing.TB, dir string, opt ...Options) *Store {
	tb.Helper()
	s, rec := openRecovered(tb, dir, opt...)
	if rec != nil {
		tb.Fatalf("unexpected recovery: %+v", rec)
	}
	return s
}

func openRecovered(tb testing.TB, dir string, opt ...Options) (*Store, *Recovery) {
	tb.Helper()
	var o Options
	if len(opt) > 0 {
		o = opt[0]
	}
	s, rec, err := Open(context.Background(), dir, o)
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	tb.Cleanup(func() { s.Close(context.Background()) })
	return s, rec
}

func closeStore(tb testing.TB, s *Store) {
	tb.Helper()
	if err := s.Close(context.Background()); err != nil {
		tb.Fatalf("close: %v", err)
	}
}

func newSpace(tb testing.TB, s *Store, id string) string {
	tb.Helper()
	sp, err := s.Spaces.Create(context.Background(), spaces.Space{ID: id, Title: "Title of " + id, Folder: "/home/x", AgentID: "guide", AgentName: "Guide"})
	if err != nil {
		tb.Fatal(err)
	}
	return sp.ID
}

func add(tb testing.TB, s *Store, space string, bodies ...transcript.Body) []transcript.Event {
	tb.Helper()
	ev, err := s.Events.Append(context.Background(), events.Append{SpaceID: space, At: 1000, Bodies: bodies})
	if err != nil {
		tb.Fatalf("append: %v", err)
	}
	return ev
}

func start(id string) *transcript.MessageStart {
	return &transcript.MessageStart{MessageID: id, Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent", ID: "guide"}}
}

func words(id string, segment int, s string) *transcript.TextDelta {
	return &transcript.TextDelta{MessageID: id, Segment: segment, Content: s}
}

func at(id string, segment, item int) transcript.At {
	return transcript.At{MessageID: id, Segment: segment, Item: item}
}

// inFile reads one value from the file over a separate connection.
func inFile(tb testing.TB, s *Store, query string, dest any) {
	tb.Helper()
	c, err := db.Dial(s.db.Path(), "ro")
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	if _, err := c.One(query, nil, dest); err != nil {
		tb.Fatal(err)
	}
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func copyDB(tb testing.TB, from string) string { // as a crash leaves it
	tb.Helper()
	to := tb.TempDir()
	for _, side := range []string{"", "-wal"} {
		if err := copyFile(filepath.Join(from, "weft.db"+side), filepath.Join(to, "weft.db"+side)); err != nil && side == "" {
			tb.Fatal(err)
		}
	}
	return to
}

func TestConversationIsReadBack(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	id := newSpace(t, s, "a")
	count := 3
	add(t, s, id, &transcript.RunCreated{RunID: "r1", AgentID: "guide", AgentName: "Guide", Model: "m", PromptID: "p"},
		&transcript.MessageStart{MessageID: "m1", RunID: "r1", Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent", Name: "Guide"}},
		words("m1", 0, "Hello "), words("m1", 0, "wörld"))
	add(t, s, id,
		&transcript.ReasoningDelta{At: at("m1", 1, 0), Content: "hm"},
		&transcript.ToolCallStart{At: at("m1", 1, 1), ToolCallID: "t1", Title: "Read", Kind: "read", Status: transcript.StatusRunning, Input: []byte(`{"path":"x"}`)},
		&transcript.ToolCallEnd{At: at("m1", 1, 1), ToolCallID: "t1", Status: transcript.StatusCompleted, Summary: "Read 3 lines", ResultCount: &count, DurationMs: 12, Output: []byte(`"out"`)},
		words("m1", 2, "done"))
	ev := add(t, s, id, &transcript.MessageEnd{MessageID: "m1", StopReason: "end_turn"},
		&transcript.RunCompleted{RunID: "r1", StopReason: "end_turn", Usage: []byte(`{"in":1}`)})
	if got := ev[len(ev)-1].Seq; got != 10 {
		t.Errorf("last seq = %d, want 10", got)
	}
	check := func(s *Store) {
		t.Helper()
		snap, err := s.Pages.Snapshot(ctx, id, 50)
		if err != nil {
			t.Fatal(err)
		}
		if snap.Seq != 10 || len(snap.Page.Messages) != 1 || snap.Page.HasBefore || snap.Page.HasAfter {
			t.Fatalf("snapshot: %+v", snap)
		}
		m := snap.Page.Messages[0]
		if m.Ord != 1 || m.RunID != "r1" || m.EndedAt != 1000 || m.StopReason != "end_turn" || len(m.Segments) != 3 {
			t.Errorf("message: %+v", m)
		}
		g := m.Segments[1]
		if m.Segments[0].Text != "Hello wörld" || m.Segments[2].Text != "done" || g.ItemCount != 2 || g.KindCounts["read"] != 1 || g.StatusCounts["completed"] != 1 || len(g.StatusCounts) != 1 {
			t.Errorf("segments: %+v", m.Segments)
		}
		if c := g.Items[1].Call; c.Summary != "Read 3 lines" || *c.ResultCount != 3 || c.Input != nil || c.Output != nil {
			t.Errorf("call: %+v", c)
		}
		d, err := s.Pages.ToolDetail(ctx, id, "m1", 1, 1)
		if err != nil || string(d.Input) != `{"path":"x"}` || string(d.Output) != `"out"` {
			t.Errorf("detail: %+v %v", d, err)
		}
		runs, err := s.Runs.List(ctx, id, 10)
		if err != nil || len(runs) != 1 || runs[0].MessageID != "m1" || runs[0].StopReason != "end_turn" || string(runs[0].Usage) != `{"in":1}` {
			t.Errorf("runs: %+v %v", runs, err)
		}
	}
	check(s)
	closeStore(t, s)
	check(open(t, dir))
}

func TestSinceContinuesASnapshot(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	id := newSpace(t, s, "a")
	add(t, s, id, start("m"), words("m", 0, "a"), &transcript.MessageEnd{MessageID: "m"})
	add(t, s, id, words("m", 0, "b"), words("m", 0, "c"))
	snap, err := s.Pages.Snapshot(ctx, id, 10)
	if err != nil || snap.Seq != 3 {
		t.Fatalf("snapshot at %d, %v", snap.Seq, err)
	}
	ev, reset, err := s.Events.Since(id, snap.Epoch, snap.Seq)
	if err != nil || reset || len(ev) != 2 || ev[0].Seq != 4 {
		t.Errorf("since: %v %v %v", ev, reset, err)
	}
	for _, c := range []struct {
		epoch, seq int64
		reset      bool
		n          int
	}{{snap.Epoch, 0, false, 5}, {snap.Epoch, 5, false, 0}, {snap.Epoch, 6, true, 0}, {snap.Epoch + 2, 5, true, 0}} {
		ev, reset, err := s.Events.Since(id, c.epoch, c.seq)
		if err != nil || reset != c.reset || len(ev) != c.n {
			t.Errorf("since(%d): %d events, reset %v, %v", c.seq, len(ev), reset, err)
		}
	}
	// Every page has the number of its last event.
	pages := func(want int64) {
		t.Helper()
		down, err := s.Pages.Before(ctx, id, nil, 10)
		if err != nil || down.Epoch != snap.Epoch || down.Seq != want {
			t.Errorf("the page before is at %d/%d, want %d/%d (%v)", down.Epoch, down.Seq, snap.Epoch, want, err)
		}
		up, err := s.Pages.After(ctx, id, pages.Cursor{Ord: 1}, 10)
		if err != nil || up.Epoch != snap.Epoch || up.Seq != want {
			t.Errorf("the page after is at %d/%d, want %d/%d (%v)", up.Epoch, up.Seq, snap.Epoch, want, err)
		}
	}
	pages(3)
	if snap.Page.Epoch != snap.Epoch || snap.Page.Seq != 3 {
		t.Errorf("the page of the snapshot is at %d/%d", snap.Page.Epoch, snap.Page.Seq)
	}
	if err := s.Events.Flush(ctx, id); err != nil {
		t.Fatal(err)
	}
	pages(5)
	m, err := s.Pages.Message(ctx, id, "m")
	if err != nil || m.Content() != "abc" {
		t.Errorf("after flush: %+v %v", m, err)
	}
}

func TestLongTextIsReadInPieces(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	id := newSpace(t, s, "a")
	add(t, s, id, start("m"))
	var all strings.Builder
	for i := range 200 {
		piece := strings.Repeat(fmt.Sprintf("<%04d>é", i), 700)
		all.WriteString(piece)
		add(t, s, id, words("m", 0, piece))
	}
	add(t, s, id, &transcript.MessageEnd{MessageID: "m"})
	want := all.String()
	snap, err := s.Pages.Snapshot(ctx, id, 10)
	if err != nil {
		t.Fatal(err)
	}
	v := snap.Page.Messages[0].Segments[0]
	if len(v.Text) > 256<<10 || len(v.Text) < 256<<10-4 || want[v.TextStart:] != v.Text {
		t.Errorf("tail of %d bytes from %d", len(v.Text), v.TextStart)
	}
	m, err := s.Pages.Message(ctx, id, "m")
	if err != nil || m.Content() != want {
		t.Errorf("whole message: %d bytes, want %d, %v", len(m.Content()), len(want), err)
	}
	for _, r := range [][2]int64{{0, 10}, {0, 0}, {5, 9}, {70000, 140001}, {int64(len(want)) - 5, 0}, {int64(len(want)) + 5, 0}} {
		got, from, err := s.Pages.SegmentText(ctx, id, "m", 0, r[0], r[1])
		to := r[1]
		if to == 0 || to > int64(len(want)) {
			to = int64(len(want))
		}
		if err != nil || r[0] < to && (from-r[0] > 3 || to-from-int64(len(got)) > 3 || got != want[from:from+int64(len(got))]) {
			t.Errorf("text %v: %d bytes from %d, %v", r, len(got), from, err)
		}
	}
}
