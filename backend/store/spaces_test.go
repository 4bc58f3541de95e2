package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/events"
	"weft/backend/store/pages"
	"weft/backend/store/spaces"
)

func blobOf(data string) transcript.Blob {
	sum := sha256.Sum256([]byte(data))
	return transcript.Blob{Ref: transcript.Ref{Hash: hex.EncodeToString(sum[:]), Size: int64(len(data)), Mime: "text/plain"}, Data: []byte(data)}
}

func TestSpacesAreListedChangedAndDeleted(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	for _, id := range []string{"a", "b", "c"} {
		newSpace(t, s, id)
	}
	if _, err := s.Spaces.Create(ctx, spaces.Space{ID: "a"}); CodeOf(err) != db.CodeConflict {
		t.Errorf("same id: %v", err)
	}
	list := func(f spaces.Filter) string {
		t.Helper()
		spaces, err := s.Spaces.List(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		ids := ""
		for _, sp := range spaces {
			ids += sp.ID
		}
		return ids
	}
	title, yes, failed := "The Loom", true, spaces.StateFailed
	if sp, err := s.Spaces.Update(ctx, "b", spaces.Change{Title: &title, LastState: &failed}); err != nil || sp.Title != title || sp.LastState != failed || sp.Folder != "/home/x" {
		t.Errorf("update: %+v %v", sp, err)
	}
	_, _ = s.Spaces.Update(ctx, "c", spaces.Change{Archived: &yes})
	if _, err := s.Events.Append(ctx, events.Append{SpaceID: "a", At: 1 << 50, Bodies: []transcript.Body{start("m"), &transcript.MessageEnd{MessageID: "m"}}}); err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]spaces.Filter{"ab": {}, "c": {Archived: true}, "b": {Query: "loom THE"}, "": {Deleted: true}} {
		if got := list(f); got != want {
			t.Errorf("list %+v: %q, want %q", f, got, want)
		}
	}
	if err := s.Spaces.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"space":    func() error { _, err := s.Spaces.Get(ctx, "a"); return err }(),
		"snapshot": func() error { _, err := s.Pages.Snapshot(ctx, "a", 10); return err }(),
		"delete":   s.Spaces.Delete(ctx, "a"),
		"update":   func() error { _, err := s.Spaces.Update(ctx, "a", spaces.Change{Title: &title}); return err }(),
		"append": func() error {
			_, err := s.Events.Append(ctx, events.Append{SpaceID: "nope", Bodies: []transcript.Body{start("m")}})
			return err
		}(),
		"since": func() error { _, _, err := s.Events.Since("nope", 1, 1); return err }(),
	} {
		if CodeOf(err) != CodeNotFound {
			t.Errorf("%s of a deleted space: %v", name, err)
		}
	}
	if got := list(spaces.Filter{}) + list(spaces.Filter{Deleted: true}); got != "ba" {
		t.Errorf("after delete: %q", got)
	}
	if sp, err := s.Spaces.Restore(ctx, "a"); err != nil || sp.DeletedAt != 0 {
		t.Errorf("restore: %+v %v", sp, err)
	}
}

func TestSessionsAndMeta(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	newSpace(t, s, "a")
	if _, ok, err := s.Sessions.Last(ctx, "a", "", "guide"); ok || err != nil {
		t.Errorf("no session yet: %v %v", ok, err)
	}
	for _, id := range []string{"s1", "s2"} {
		if err := s.Sessions.Add(ctx, spaces.Session{SpaceID: "a", AgentID: "guide", SessionID: id, Cwd: "/w"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sessions.Add(ctx, spaces.Session{SpaceID: "nope"}); CodeOf(err) != CodeNotFound {
		t.Errorf("session of no space: %v", err)
	}
	_ = s.Meta.Set(ctx, "k", "1")
	_ = s.Meta.Set(ctx, "k", "2")
	closeStore(t, s)
	if err := s.Meta.Set(ctx, "k", "3"); CodeOf(err) != CodeClosed {
		t.Errorf("after close: %v", err)
	}
	if _, _, err := s.Meta.Get(ctx, "k"); CodeOf(err) != CodeClosed {
		t.Errorf("after close: %v", err)
	}
	s = open(t, dir)
	if se, ok, err := s.Sessions.Last(ctx, "a", "", "guide"); !ok || err != nil || se.SessionID != "s2" || se.Cwd != "/w" {
		t.Errorf("session: %+v %v %v", se, ok, err)
	}
	if v, ok, err := s.Meta.Get(ctx, "k"); v != "2" || !ok || err != nil {
		t.Errorf("meta: %q %v %v", v, ok, err)
	}
}

func TestBlobsAreKeptWhileReferredTo(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	newSpace(t, s, "a")
	newSpace(t, s, "b")
	big, small, gone := blobOf(strings.Repeat("0123456789", 100_000)), blobOf("small"), blobOf("gone at once")
	put := func(space string, blobs []transcript.Blob, superseded ...string) {
		t.Helper()
		if _, err := s.Events.Append(ctx, events.Append{SpaceID: space, At: 1, MessageID: "m", Blobs: blobs, Superseded: superseded}); err != nil {
			t.Fatal(err)
		}
	}
	there := func(b transcript.Blob, want bool) {
		t.Helper()
		data, ref, err := s.Blobs.Bytes(ctx, b.Ref.Hash)
		if want && (err != nil || !bytes.Equal(data, b.Data) || ref != b.Ref) {
			t.Errorf("blob %.10q: %d bytes, %+v, %v", b.Data, len(data), ref, err)
		} else if !want && CodeOf(err) != CodeNotFound {
			t.Errorf("blob %.10q is there: %v", b.Data, err)
		}
	}
	put("a", []transcript.Blob{big, small, gone}, gone.Ref.Hash)
	there(gone, false)
	put("b", []transcript.Blob{small, small})
	there(small, true)
	put("a", nil, small.Ref.Hash)
	put("b", nil, small.Ref.Hash)
	there(small, true) // b refers to it again
	put("b", nil, small.Ref.Hash)
	there(small, false)

	r, _, err := s.Blobs.Open(ctx, big.Ref.Hash)
	if err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 10)
	for _, at := range []int64{0, 256<<10 - 5, 3 * 256 << 10, int64(len(big.Data)) - 10} {
		if _, err := r.Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, part); err != nil || !bytes.Equal(part, big.Data[at:at+10]) {
			t.Errorf("at %d: %q %v", at, part, err)
		}
	}
	if err := s.PurgeSpace(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	there(big, false)
	var n int
	if inFile(t, s, "SELECT (SELECT count(*) FROM blob) + (SELECT count(*) FROM blob_chunk) + (SELECT count(*) FROM blob_use)", &n); n != 0 {
		t.Errorf("%d rows of blobs are left", n)
	}
}

// A space that was restored before its purge, or deleted again, is kept.
func TestRestoredSpaceIsNotPurged(t *testing.T) {
	ctx, s := context.Background(), open(t, t.TempDir())
	newSpace(t, s, "a")
	purges := func(before int64, want bool) {
		t.Helper()
		if done, err := s.PurgeDeleted(ctx, "a", before); err != nil || done != want {
			t.Errorf("purged: %v, %v", done, err)
		}
	}
	const never = 1 << 60
	purges(never, false)
	if err := s.Spaces.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	purges(1, false)
	if _, err := s.Spaces.Restore(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	purges(never, false)
	if _, err := s.Spaces.Get(ctx, "a"); err != nil {
		t.Error(err)
	}
	if err := s.Spaces.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	purges(never, true)
	if _, err := s.PurgeDeleted(ctx, "a", never); CodeOf(err) != CodeNotFound {
		t.Error(err)
	}
}

func TestPurgeIsCompleteAndResumesAfterRestart(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	newSpace(t, s, "keep")
	newSpace(t, s, "a")
	add(t, s, "keep", start("m"), words("m", 0, "x"), &transcript.MessageEnd{MessageID: "m"})
	for _, m := range []string{"m", "n"} {
		bodies := []transcript.Body{start(m)}
		for i := range 1200 {
			bodies = append(bodies, words(m, 2*i, "t"), &transcript.ToolCallStart{At: at(m, 2*i+1, 0), Kind: "read", Status: transcript.StatusRunning, Input: []byte("1")},
				&transcript.ToolOutputDelta{At: at(m, 2*i+1, 0), Delta: "o"})
		}
		add(t, s, "a", append(bodies, &transcript.OpaqueUpdate{MessageID: m, Kind: "k"})...)
	}
	if err := s.db.Change(ctx, "stop half-way", func(c *db.Conn) error {
		if _, err := s.purgeSome(c, 2); err != nil {
			return err
		}
		return c.Exec("UPDATE space SET purging = 1, deleted_at = 1 WHERE id = 'a'")
	}); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	s = open(t, dir)
	closeStore(t, s) // waits for the purge or stops it
	s = open(t, dir)
	if err := s.purge(ctx, 2); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"space", "message"} {
		var n int
		if inFile(t, s, "SELECT count(*) FROM "+table, &n); n != 1 {
			t.Errorf("%s has %d rows", table, n)
		}
	}
	for _, table := range []string{"item", "text_part", "item_part", "call_body", "group_count", "opaque"} {
		var n int
		if inFile(t, s, "SELECT count(*) FROM "+table, &n); n != 0 {
			t.Errorf("%s has %d rows", table, n)
		}
	}
}

func TestUnfinishedMessagesAndRunsAreListed(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	newSpace(t, s, "a")
	add(t, s, "a", &transcript.RunCreated{RunID: "r1", AgentID: "g"}, &transcript.MessageStart{MessageID: "m", RunID: "r1", Role: transcript.RoleAgent},
		words("m", 0, "x"), &transcript.ToolCallStart{At: at("m", 1, 0), ToolCallID: "t1", Kind: "read", Status: transcript.StatusRunning},
		&transcript.ToolCallStart{At: at("m", 1, 1), ToolCallID: "t2", Kind: "read", Status: transcript.StatusRunning},
		&transcript.ToolCallEnd{At: at("m", 1, 0), Status: transcript.StatusCompleted},
		&transcript.RunCreated{RunID: "r2", AgentID: "h"})
	add(t, s, "a", start("done"), &transcript.MessageEnd{MessageID: "done"})
	crashed := copyDB(t, dir)
	s = open(t, crashed)
	list, err := s.Unfinished.Messages(ctx, "")
	if err != nil || len(list) != 2 {
		t.Fatalf("interrupted: %+v %v", list, err)
	}
	if in := list[0]; in.SpaceID != "a" || in.MessageID != "m" || in.RunID != "r1" || in.AgentID != "g" || in.Segments != 2 ||
		len(in.OpenCalls) != 1 || in.OpenCalls[0].Call.ID != "t2" || in.OpenCalls[0].At != at("m", 1, 1) {
		t.Errorf("message: %+v", in)
	}
	if in := list[1]; in.RunID != "r2" || in.MessageID != "" {
		t.Errorf("run: %+v", in)
	}
}

func TestPagesHaveNoGapsInEitherDirection(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	newSpace(t, s, "a")
	var want []string
	for i, n := range []int{3, 0, 1, 40, 0, 7} {
		id := string(rune('a' + i))
		bodies := []transcript.Body{start(id)}
		if n == 0 {
			want = append(want, id+"-")
		}
		for seg := range n {
			// Never two texts in a row.
			if seg%2 == 0 {
				bodies = append(bodies, words(id, seg, strings.Repeat("x", seg+1)))
			} else {
				bodies = append(bodies, &transcript.ReasoningDelta{At: at(id, seg, 0), Content: "t"})
			}
			want = append(want, id+string(rune('0'+seg)))
		}
		add(t, s, "a", append(bodies, &transcript.MessageEnd{MessageID: id})...)
	}
	flat := func(p pages.Page) (list []string) {
		for _, m := range p.Messages {
			if m.SegmentCount == 0 {
				list = append(list, m.ID+"-")
			}
			for i := range m.Segments {
				list = append(list, m.ID+string(rune('0'+m.FirstSegment+i)))
			}
		}
		return list
	}
	for limit := 1; limit < 60; limit += 3 {
		var down, up []string
		for cur := (*pages.Cursor)(nil); ; {
			p, err := s.Pages.Before(ctx, "a", cur, limit)
			if err != nil {
				t.Fatal(err)
			}
			if got := flat(p); len(got) > limit {
				t.Fatalf("limit %d: %d segments", limit, len(got))
			}
			if p.HasAfter != (len(down) > 0) {
				t.Errorf("limit %d: hasAfter %v", limit, p.HasAfter)
			}
			down = append(flat(p), down...)
			if !p.HasBefore {
				break
			}
			cur = &pages.Cursor{Ord: p.Messages[0].Ord, Segment: p.Messages[0].FirstSegment}
		}
		for cur := (pages.Cursor{Ord: 1, Segment: 0}); ; {
			p, err := s.Pages.After(ctx, "a", cur, limit)
			if err != nil {
				t.Fatal(err)
			}
			if p.HasBefore != (len(up) > 0) {
				t.Errorf("limit %d: hasBefore %v", limit, p.HasBefore)
			}
			up = append(up, flat(p)...)
			if !p.HasAfter {
				break
			}
			last := p.Messages[len(p.Messages)-1]
			if cur = (pages.Cursor{Ord: last.Ord, Segment: last.FirstSegment + len(last.Segments)}); cur.Segment >= last.SegmentCount {
				cur = pages.Cursor{Ord: last.Ord + 1, Segment: 0}
			}
		}
		if strings.Join(down, " ") != strings.Join(want, " ") || strings.Join(up, " ") != strings.Join(want, " ") {
			t.Errorf("limit %d:\nbefore %v\nafter  %v\nwant   %v", limit, down, up, want)
		}
	}
}
