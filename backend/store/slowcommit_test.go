package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/events"
	"weft/backend/store/permissions"
	"weft/backend/store/spaces"
)

// slowCommit makes the next commit of events after arm wait until release is closed. reached is closed when it waits.
// Commits of the search index in the background are unaffected.
func slowCommit(t *testing.T, s *Store) (arm func(), reached, release chan struct{}) {
	t.Helper()
	reached, release = make(chan struct{}), make(chan struct{})
	var armed atomic.Bool
	err := s.db.Change(t.Context(), "set a hook", func(c *db.Conn) error {
		return c.Raw(func(driverConn any) error {
			hooks := driverConn.(sqlite.HookRegisterer)
			appends := false // the transaction has appends; only one goroutine uses this
			hooks.RegisterPreUpdateHook(func(d sqlite.SQLitePreUpdateData) { appends = appends || d.TableName == "journal" })
			hooks.RegisterRollbackHook(func() { appends = false })
			hooks.RegisterCommitHook(func() int32 {
				had := appends
				if appends = false; had && armed.CompareAndSwap(true, false) {
					close(reached)
					<-release
				}
				return 0
			})
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() { armed.Store(true) }, reached, release
}

// readEverything calls the reads that a page, Bootstrap and the inbox need for the space id.
func readEverything(ctx context.Context, s *Store, id string, seq int64) error {
	epoch, head, err := s.Events.Head(id)
	if err == nil && head != seq {
		err = fmt.Errorf("the head of %s is %d, want %d", id, head, seq)
	}
	if err != nil {
		return err
	}
	if _, reset, err := s.Events.Since(id, epoch, 0); err != nil || reset {
		return fmt.Errorf("since 0 in %s: reset %v, %w", id, reset, err)
	}
	// An event that doesn't exist yet.
	if _, reset, err := s.Events.Since(id, epoch, seq+100); err != nil || !reset {
		return fmt.Errorf("since %d in %s: reset %v, %w", seq+100, id, reset, err)
	}
	for name, read := range map[string]func() error{
		"space":        func() error { _, err := s.Spaces.Get(ctx, id); return err },
		"spaces":       func() error { _, err := s.Spaces.List(ctx, spaces.Filter{}); return err },
		"snapshot":     func() error { _, err := s.Pages.Snapshot(ctx, id, 50); return err },
		"page":         func() error { _, err := s.Pages.Before(ctx, id, nil, 50); return err },
		"unfinished":   func() error { _, err := s.Unfinished.Messages(ctx, ""); return err },
		"displays":     func() error { _, err := s.Unfinished.Displays(ctx, id); return err },
		"rules":        func() error { _, err := s.Rules.List(ctx); return err },
		"decisions":    func() error { _, _, err := s.Decisions.List(ctx, permissions.Filter{Limit: 10}); return err },
		"usage":        func() error { _, err := s.Runs.Usage(ctx, "", 0); return err },
		"worktrees":    func() error { _, err := s.Worktrees.List(ctx); return err },
		"meta":         func() error { _, _, err := s.Meta.Get(ctx, "k"); return err },
		"last session": func() error { _, _, err := s.Sessions.Last(ctx, id, "", "guide"); return err },
	} {
		if err := read(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func TestReadsReturnDuringASlowCommit(t *testing.T) {
	s := open(t, t.TempDir())
	for _, id := range []string{"slow", "other"} {
		add(t, s, newSpace(t, s, id), start("m"), words("m", 0, "x"))
	}
	arm, reached, release := slowCommit(t, s)
	arm()
	var writing sync.WaitGroup
	write := func(id string) {
		writing.Go(func() {
			if _, err := s.Events.Append(context.Background(), events.Append{SpaceID: id, At: 1, Bodies: []transcript.Body{words("m", 0, "y")}}); err != nil {
				t.Errorf("append to %s: %v", id, err)
			}
		})
	}
	write("slow")
	<-reached
	for range 3 {
		write("other") // waits for the commit in progress
	}
	for _, id := range []string{"slow", "other"} {
		if err := readEverything(t.Context(), s, id, 2); err != nil {
			t.Error(err)
		}
	}
	close(release)
	writing.Wait()
	for id, want := range map[string]int64{"slow": 3, "other": 5} {
		if _, seq, err := s.Events.Head(id); seq != want || err != nil {
			t.Errorf("after the commits, the head of %s is %d, %v, want %d", id, seq, err, want)
		}
	}
}

// Readers can see rows a moment before Append knows that they are committed.
func TestSinceWaitsForTheCommitThatTheCallerHasSeen(t *testing.T) {
	s := open(t, t.TempDir())
	id := newSpace(t, s, "a")
	add(t, s, id, start("m"))
	arm, reached, release := slowCommit(t, s)
	arm()
	var writing sync.WaitGroup
	writing.Go(func() {
		if _, err := s.Events.Append(context.Background(), events.Append{SpaceID: id, At: 1, Bodies: []transcript.Body{words("m", 0, "x"), words("m", 0, "y")}}); err != nil {
			t.Error(err)
		}
	})
	<-reached
	epoch, _, _ := s.Events.Head(id)
	asked := make(chan struct{})
	writing.Go(func() {
		close(asked)
		if ev, reset, err := s.Events.Since(id, epoch, 2); len(ev) != 1 || ev[0].Seq != 3 || reset || err != nil {
			t.Errorf("since 2: %v, reset %v, %v", ev, reset, err)
		}
	})
	<-asked
	close(release)
	writing.Wait()
}

func TestBlockedOnCommitDelaysOnlyItsSpace(t *testing.T) {
	reached, release := make(chan struct{}), make(chan struct{})
	s := open(t, t.TempDir(), Options{OnCommit: func(id string, _ []transcript.Event) {
		if id == "blocked" {
			close(reached)
			<-release
		}
	}})
	newSpace(t, s, "blocked")
	newSpace(t, s, "other")
	var writing sync.WaitGroup
	writing.Go(func() {
		if _, err := s.Events.Append(context.Background(), events.Append{SpaceID: "blocked", At: 1, Bodies: []transcript.Body{start("m")}}); err != nil {
			t.Error(err)
		}
	})
	<-reached
	for range 10 {
		add(t, s, "other", start("m"), &transcript.MessageEnd{MessageID: "m"})
	}
	if err := readEverything(t.Context(), s, "blocked", 1); err != nil {
		t.Error(err)
	}
	close(release)
	writing.Wait()
}

func TestStoreMayBeClosedTwice(t *testing.T) {
	s, _, err := Open(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
