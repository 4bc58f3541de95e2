package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"

	"weft/backend/base/raced"

	"pgregory.net/rapid"

	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
	"weft/backend/store/reviews"
)

func messagesIn(t rapid.TB, s *Store, id string) []*transcript.Message {
	t.Helper()
	var list []*transcript.Message
	for m, err := range s.Pages.Messages(context.Background(), id) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

// TestBranchHasTheMessagesUpToItsPosition branches random transcripts at random positions, even in a message in
// progress, and continues both.
func TestBranchHasTheMessagesUpToItsPosition(t *testing.T) {
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
		newSpace(t, s, "a")
		newSpace(t, s, "other") // so that the rows of the copied spaces aren't adjacent
		sc, other := &script{t: rt}, &script{t: rt}
		grow := func() {
			for range rapid.IntRange(1, 4).Draw(rt, "appends") {
				bodies := make([]transcript.Body, rapid.IntRange(1, 30).Draw(rt, "bodies"))
				for i := range bodies {
					bodies[i] = sc.next()
				}
				if _, err := s.Events.Append(ctx, events.Append{SpaceID: "a", At: 1000, Bodies: bodies}); err != nil {
					rt.Fatal(err)
				}
				if _, err := s.Events.Append(ctx, events.Append{SpaceID: "other", At: 1000, Bodies: []transcript.Body{other.next()}}); err != nil {
					rt.Fatal(err)
				}
			}
		}
		grow()
		last := sc.messages[rapid.IntRange(0, len(sc.messages)-1).Draw(rt, "message")].id
		b := Branch{SpaceID: "a", MessageID: last, Before: rapid.Bool().Draw(rt, "before")}
		if rapid.IntRange(0, 3).Draw(rt, "whole") == 0 {
			b = Branch{SpaceID: "a"}
		}
		sp, err := s.BranchSpace(ctx, b)
		if err != nil {
			rt.Fatal(err)
		}
		whole := messagesIn(rt, s, "a")
		want := whole[:sp.Shared]
		if a, b := plain(rt, messagesIn(rt, s, sp.ID)), plain(rt, want); !reflect.DeepEqual(a, b) {
			rt.Fatalf("the branch: %v\nthe prefix: %v", a, b)
		}
		snap, err := s.Pages.Snapshot(ctx, sp.ID, 500)
		if err != nil {
			rt.Fatal(err)
		}
		for _, m := range want {
			countCalls(rt, snap, m)
		}
		// From here on, the two are independent.
		grow()
		if a, b := plain(rt, messagesIn(rt, s, sp.ID)), plain(rt, want); !reflect.DeepEqual(a, b) {
			rt.Fatalf("the branch has changed with its parent: %v\nit was: %v", a, b)
		}
		if err := s.Events.Flush(ctx, "a"); err != nil {
			rt.Fatal(err)
		}
		was := plain(rt, messagesIn(rt, s, "a"))
		if _, err := s.Events.Append(ctx, events.Append{SpaceID: sp.ID, At: 2000, Bodies: []transcript.Body{
			&transcript.MessageStart{MessageID: "new", Role: transcript.RoleUser}, words("new", 0, "other"), &transcript.MessageEnd{MessageID: "new"},
		}}); err != nil {
			rt.Fatal(err)
		}
		if got := messagesIn(rt, s, sp.ID); len(got) != len(want)+1 || got[len(want)].ID != "new" {
			rt.Fatalf("after a prompt there are %d messages of %d", len(got), len(want)+1)
		}
		if now := plain(rt, messagesIn(rt, s, "a")); !reflect.DeepEqual(was, now) {
			rt.Fatal("the parent has changed with its branch")
		}
		if err := s.PurgeSpace(ctx, "a"); err != nil {
			rt.Fatal(err)
		}
		if a, b := plain(rt, messagesIn(rt, s, sp.ID)[:sp.Shared]), plain(rt, want); !reflect.DeepEqual(a, b) {
			rt.Fatalf("the branch has lost with its parent: %v\nit was: %v", a, b)
		}
	})
}

func payload(text string) transcript.Blob {
	sum := sha256.Sum256([]byte(text))
	return transcript.Blob{Ref: transcript.Ref{Hash: hex.EncodeToString(sum[:]), Size: int64(len(text)), Mime: "application/json"}, Data: []byte(text)}
}

// TestBlobsAreKeptForEitherSpaceOfABranch deletes a space and its branch in either order.
func TestBlobsAreKeptForEitherSpaceOfABranch(t *testing.T) {
	image, late, nested, outside, reading, state := payload("image"), payload("late"), payload("nested"), payload("outside"), payload("reading"), payload("state")
	list := payload(fmt.Sprintf(`[{"type":"image","ref":{"hash":"%s","size":6}}]`, nested.Ref.Hash))
	build := func(t *testing.T) (s *Store, branch string) {
		s = open(t, t.TempDir())
		newSpace(t, s, "a")
		put := func(message string, blobs []transcript.Blob, bodies ...transcript.Body) {
			if _, err := s.Events.Append(context.Background(), events.Append{SpaceID: "a", At: 1, Bodies: bodies, Blobs: blobs, MessageID: message}); err != nil {
				t.Fatal(err)
			}
		}
		put("m1", []transcript.Blob{image}, &transcript.MessageStart{MessageID: "m1", Role: transcript.RoleAgent},
			&transcript.Display{MessageID: "m1", Display: transcript.Content{Type: "image", Ref: &image.Ref}},
			&transcript.ToolCallStart{At: at("m1", 1, 0), ToolCallID: "t", Kind: "read", Status: transcript.StatusRunning}, &transcript.MessageEnd{MessageID: "m1"})
		// Blobs that the first message gets while the second is in progress count for the second.
		put("m2", []transcript.Blob{late, list, nested, outside, reading, state}, &transcript.MessageStart{MessageID: "m2", Role: transcript.RoleAgent},
			&transcript.Display{MessageID: "m2", Display: transcript.Content{Type: "image", Ref: &outside.Ref}},
			&transcript.ToolCallUpdate{At: at("m1", 1, 0), ToolCallID: "t", OutputRef: &late.Ref, ContentRef: &list.Ref},
			&transcript.PermissionRequest{At: at("m1", 1, 0), ToolCallID: "t", RequestID: "q", ReadingRef: &reading.Ref},
			&transcript.State{Key: transcript.StateSession, MessageID: "m2", Ref: &state.Ref})
		sp, err := s.BranchSpace(context.Background(), Branch{SpaceID: "a", MessageID: "m1"})
		if err != nil {
			t.Fatal(err)
		}
		return s, sp.ID
	}
	held := func(t *testing.T, s *Store) (names []string) {
		for _, b := range []struct {
			name string
			blob transcript.Blob
		}{{"image", image}, {"late", late}, {"list", list}, {"nested", nested}, {"outside", outside}, {"reading", reading}, {"state", state}} {
			if _, _, err := s.Blobs.Bytes(context.Background(), b.blob.Ref.Hash); err == nil {
				names = append(names, b.name)
			}
		}
		var chunks, blobs int
		inFile(t, s, "SELECT count(DISTINCT bid) FROM blob_chunk", &chunks)
		inFile(t, s, "SELECT count(*) FROM blob", &blobs)
		if chunks != blobs {
			t.Errorf("%d payloads, chunks of %d", blobs, chunks)
		}
		return names
	}
	purge := func(t *testing.T, s *Store, id string) {
		if err := s.PurgeSpace(context.Background(), id); err != nil {
			t.Fatal(err)
		}
	}
	all := []string{"image", "late", "list", "nested", "outside", "reading", "state"}
	t.Run("the parent first", func(t *testing.T) {
		s, branch := build(t)
		purge(t, s, "a")
		if got := held(t, s); !reflect.DeepEqual(got, []string{"image", "late", "list", "nested", "reading", "state"}) {
			t.Errorf("the branch holds %v", got)
		}
		purge(t, s, branch)
		if got := held(t, s); got != nil {
			t.Errorf("left: %v", got)
		}
	})
	t.Run("the branch first", func(t *testing.T) {
		s, branch := build(t)
		purge(t, s, branch)
		if got := held(t, s); !reflect.DeepEqual(got, all) {
			t.Errorf("the parent holds %v", got)
		}
		purge(t, s, "a")
		if got := held(t, s); got != nil {
			t.Errorf("left: %v", got)
		}
	})
}

func TestTreeListsAllBranches(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	newSpace(t, s, "a")
	say := func(space, id, text string) {
		add(t, s, space, &transcript.MessageStart{MessageID: id, Role: transcript.RoleUser}, words(id, 0, text), &transcript.MessageEnd{MessageID: id})
	}
	branch := func(from, message string) string {
		t.Helper()
		sp, err := s.BranchSpace(ctx, Branch{SpaceID: from, MessageID: message})
		if err != nil {
			t.Fatal(err)
		}
		return sp.ID
	}
	for i, text := range []string{"one", "two", "three"} {
		say("a", fmt.Sprint("m", i+1), text)
	}
	b := branch("a", "m2")
	say(b, "b3", "three, but better")
	c := branch(b, "b3")
	d := branch(b, "m1")
	tree := func(of string) (out []string) {
		t.Helper()
		list, err := s.Spaces.Tree(ctx, of)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]string{"a": "a", b: "b", c: "c", d: "d", "": "-"}
		for _, x := range list {
			out = append(out, fmt.Sprintf("%s<%s %d/%d %s", names[x.ID], names[x.Parent], x.Shared, x.Messages, x.Words))
		}
		return out
	}
	want := []string{"a<- 0/3 one", "b<a 2/3 three, but better", "c<b 3/3 ", "d<b 1/1 "}
	for _, of := range []string{"a", b, c, d} {
		if got := tree(of); !reflect.DeepEqual(got, want) {
			t.Errorf("the tree of %s: %q", of, got)
		}
	}
	if err := s.PurgeSpace(ctx, b); err != nil {
		t.Fatal(err)
	}
	if got, want := tree(c), []string{"a<- 0/3 one", "c<a 2/3 three, but better", "d<a 1/1 "}; !reflect.DeepEqual(got, want) {
		t.Errorf("without b: %q", got)
	}
	if err := s.Spaces.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if got := tree(d); len(got) != 3 {
		t.Errorf("with a deleted: %q", got)
	}
	for _, req := range []Branch{{SpaceID: "nobody"}, {SpaceID: "a"}, {SpaceID: c, MessageID: "m3"}} {
		if _, err := s.BranchSpace(ctx, req); !errors.Is(err, &Error{Code: CodeNotFound}) {
			t.Errorf("%+v: %v", req, err)
		}
	}
}

func TestBranchInheritsReviews(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	newSpace(t, s, "a")
	change := func(f func(tx *reviews.Tx) error) {
		t.Helper()
		if err := s.Reviews.Change(ctx, "a", f); err != nil {
			t.Fatal(err)
		}
	}
	change(func(tx *reviews.Tx) error {
		one, err := tx.AddTurn(reviews.Turn{What: "run", RunID: "r1", PromptID: "p1", StartedAt: 1, EndedAt: 2})
		if err != nil {
			return err
		}
		going, err := tx.AddTurn(reviews.Turn{What: "run", RunID: "r2", PromptID: "p2", StartedAt: 3})
		if err != nil {
			return err
		}
		for _, t := range []reviews.Touch{{TurnID: one, Path: "x", Before: []byte("1"), After: []byte("2")}, {TurnID: going, Path: "x", Before: []byte("2"), After: []byte("3")}} {
			if err := tx.PutTouch(t); err != nil {
				return err
			}
		}
		return tx.PutFile(reviews.File{Path: "x", Base: []byte("1"), Agent: []byte("2"), Added: 1, At: 2})
	})
	sp, err := s.BranchSpace(ctx, Branch{SpaceID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	change(func(tx *reviews.Tx) error { return tx.DropAll() })
	err = s.Reviews.View(ctx, sp.ID, func(tx *reviews.Tx) error {
		files, err := tx.Files()
		if err != nil {
			return err
		}
		turn, ok, err := tx.PromptTurn("p1")
		if err != nil {
			return err
		}
		touches, err := tx.TouchesSince(turn.ID)
		if len(files) != 1 || !ok || len(touches) != 1 || string(touches[0].After) != "2" {
			t.Errorf("files %+v, turn %v, touches %+v", files, ok, touches)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBranchOfManyMessages copies many messages with groups and texts. The bench measures the time.
func TestBranchOfManyMessages(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	newSpace(t, s, "a")
	messages, pairs := raced.Of(60), 50
	for i := range messages {
		id := fmt.Sprint("m", i)
		bodies := []transcript.Body{&transcript.MessageStart{MessageID: id, Role: transcript.RoleAgent}}
		for k := range pairs {
			bodies = append(bodies, words(id, 2*k, "Some words about what comes next, as an agent says them between its calls. "),
				&transcript.ToolCallStart{At: at(id, 2*k+1, 0), ToolCallID: fmt.Sprint("t", k), Title: "Read a file", Kind: "read", Status: transcript.StatusRunning, Input: []byte(`{"path":"/home/x/a.go"}`)},
				&transcript.ToolCallEnd{At: at(id, 2*k+1, 0), ToolCallID: fmt.Sprint("t", k), Status: transcript.StatusCompleted, Summary: "Read 120 lines"})
		}
		if _, err := s.Events.Append(ctx, events.Append{SpaceID: "a", At: 1, Bodies: append(bodies, &transcript.MessageEnd{MessageID: id})}); err != nil {
			t.Fatal(err)
		}
	}
	sp, err := s.BranchSpace(ctx, Branch{SpaceID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	var segments int
	inFile(t, s, "SELECT count(*) FROM segment WHERE mid IN (SELECT mid FROM message WHERE sid = (SELECT max(sid) FROM space))", &segments)
	if segments != messages*pairs*2 || sp.Shared != int64(messages) {
		t.Errorf("%d segments, %d messages", segments, sp.Shared)
	}
}
