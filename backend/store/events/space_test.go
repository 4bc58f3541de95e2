package events

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/file"
	"weft/backend/store/search"
	"weft/backend/store/spaces"
)

// openLog opens a log in a new database, with a clock that the test sets.
func openLog(t *testing.T, now *time.Time) (*Log, *spaces.Spaces) {
	t.Helper()
	clock := func() time.Time { return *now }
	f, c, _, err := file.Open(t.Context(), t.TempDir(), file.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	d, err := db.New(f.Path(), c, db.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := Open(d, Options{Index: search.New(d, zerolog.Nop())})
	if err != nil {
		t.Fatal(err)
	}
	d.Start(l)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, spaces.New(d)
}

func create(t *testing.T, s *spaces.Spaces, id string) {
	t.Helper()
	if _, err := s.Create(t.Context(), spaces.Space{ID: id, AgentName: "Guide"}); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, l *Log, id string, bodies ...transcript.Body) {
	t.Helper()
	if _, err := l.Append(t.Context(), Append{SpaceID: id, At: 1, Bodies: bodies}); err != nil {
		t.Fatal(err)
	}
}

func start(id string) transcript.Body {
	return &transcript.MessageStart{MessageID: id, Role: transcript.RoleAgent}
}

func words(id, text string) transcript.Body {
	return &transcript.TextDelta{MessageID: id, Content: text}
}

func TestRecentEventsAreBoundedPerSpaceAndOverall(t *testing.T) {
	now := time.UnixMilli(1e12)
	l, s := openLog(t, &now)
	for n := range maxRecent + 5 {
		id := fmt.Sprintf("s%d", n)
		create(t, s, id)
		add(t, l, id, start("m"), &transcript.MessageEnd{MessageID: "m"})
	}
	for range 100 {
		add(t, l, "s0", words("m", string(make([]byte, 7000))), &transcript.MessageEnd{MessageID: "m"})
	}
	if sp := l.spaces["s0"]; sp.bytes > recentBytes {
		t.Errorf("%d bytes of events are kept, want at most %d", sp.bytes, recentBytes)
	}
	l.sweep(now.UnixMilli())
	kept := 0
	for _, sp := range l.spaces {
		if len(sp.recent) > 0 {
			kept++
		}
	}
	if kept > maxRecent {
		t.Errorf("events of %d spaces are kept, want at most %d", kept, maxRecent)
	}
}

func TestIdleSpacesAreForgotten(t *testing.T) {
	now := time.UnixMilli(1e12)
	l, s := openLog(t, &now)
	for n := range 20 {
		id := fmt.Sprintf("s%d", n)
		create(t, s, id)
		if n%2 == 0 {
			add(t, l, id, start("m"), &transcript.MessageEnd{MessageID: "m"})
		} else if _, _, err := l.Head(id); err != nil { // only read
			t.Fatal(err)
		}
	}
	create(t, s, "open")
	add(t, l, "open", start("m"), words("m", "x"))
	epoch, seq, err := l.Head("s0")
	if err != nil || seq != 2 {
		t.Fatalf("head is %d, %v", seq, err)
	}

	now = now.Add(2 * idleAfter * time.Millisecond)
	create(t, s, "busy")
	add(t, l, "busy", start("m"))
	if len(l.spaces) != 2 || l.spaces["open"] == nil || l.spaces["busy"] == nil {
		t.Errorf("%d spaces are remembered, want the one with unfolded events and the busy one", len(l.spaces))
	}
	openEpoch := l.spaces["open"].epoch
	if ev, reset, err := l.Since("open", openEpoch, 0); len(ev) != 2 || reset || err != nil {
		t.Errorf("events that are not in rows: %d, reset %v, %v", len(ev), reset, err)
	}

	if e, seq, err := l.Head("s0"); e != epoch || seq != 2 || err != nil {
		t.Errorf("a forgotten space is at %d/%d, %v, want %d/2", e, seq, err, epoch)
	}
	if _, reset, err := l.Since("s0", epoch, 1); !reset || err != nil {
		t.Errorf("since 1 in a forgotten space: reset %v, %v", reset, err)
	}
	add(t, l, "s0", start("n"))
	if ev, reset, err := l.Since("s0", epoch, 2); len(ev) != 1 || ev[0].Seq != 3 || reset || err != nil {
		t.Errorf("since 2 after an append: %v, reset %v, %v", ev, reset, err)
	}
}

// An append and a sweep may happen while a reader looks up a space in the database.
func TestOutdatedLookupIsRepeated(t *testing.T) {
	now := time.UnixMilli(1e12)
	l, s := openLog(t, &now)
	create(t, s, "a")
	epoch, _, err := l.Head("a")
	if err != nil {
		t.Fatal(err)
	}
	slow, drops := newSpace(l.spaces["a"].sid, "a", epoch, 0), l.drops
	l.sweep(now.UnixMilli()) // "a" was only read
	add(t, l, "a", start("m"), &transcript.MessageEnd{MessageID: "m"})
	l.sweep(now.UnixMilli() + 2*idleAfter)
	if sp := l.remember(slow, drops); sp != nil {
		t.Errorf("an outdated space at %d is remembered", sp.seq)
	}
	if _, seq, err := l.Head("a"); seq != 2 || err != nil {
		t.Errorf("head is %d, %v, want 2", seq, err)
	}
}

func TestDroppedSpaceRefusesAppends(t *testing.T) {
	now := time.UnixMilli(1e12)
	l, s := openLog(t, &now)
	create(t, s, "a")
	add(t, l, "a", start("m"))
	if err := l.db.ChangeThen(t.Context(), "purge", func(c *db.Conn) error {
		return c.Exec("UPDATE space SET purging = 1 WHERE id = 'a'")
	}, func() { l.Drop("a") }); err != nil {
		t.Fatal(err)
	}
	_, err := l.Append(context.Background(), Append{SpaceID: "a", Bodies: []transcript.Body{words("m", "x")}})
	if db.CodeOf(err) != db.CodeNotFound {
		t.Errorf("append to a purged space: %v, want not_found", err)
	}
}
