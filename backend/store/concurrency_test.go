package store

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"weft/backend/transcript"
)

// TestAppendsFromEverywhere has many goroutines append to a few spaces while others read.
func TestAppendsFromEverywhere(t *testing.T) {
	ctx := context.Background()
	var mu sync.Mutex
	shown := map[string]int64{}
	s := open(t, t.TempDir(), Options{OnCommit: func(id string, events []transcript.Event) {
		mu.Lock()
		defer mu.Unlock()
		for i := range events {
			if shown[id]++; events[i].Seq != shown[id] {
				t.Errorf("space %s: event %d was shown as number %d", id, events[i].Seq, shown[id])
			}
		}
	}})
	const spaces, writers, appends = 3, 4, 60
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for n := range spaces {
		id := fmt.Sprintf("s%d", n)
		newSpace(t, s, id)
		for k := range writers {
			writing.Go(func() {
				m := fmt.Sprintf("m%d", k)
				add(t, s, id, start(m))
				for i := range appends {
					ev := add(t, s, id, words(m, 0, "x"), &transcript.OpaqueUpdate{MessageID: m, Kind: "k"})
					mu.Lock()
					if shown[id] < ev[1].Seq {
						t.Errorf("append of %d returned before it was shown", ev[1].Seq)
					}
					mu.Unlock()
					if i%20 == 19 {
						add(t, s, id, &transcript.MessageEnd{MessageID: m})
					}
				}
			})
		}
		reading.Go(func() {
			last := int64(0)
			for {
				select {
				case <-done:
					return
				default:
				}
				snap, err := s.Snapshot(ctx, id, 10)
				if err != nil || snap.Seq < last {
					t.Errorf("snapshot at %d after %d: %v", snap.Seq, last, err)
					return
				}
				last = snap.Seq
				ev, reset, err := s.Since(id, snap.Epoch, snap.Seq)
				if err != nil || reset || len(ev) > 0 && ev[0].Seq != snap.Seq+1 {
					t.Errorf("since %d: reset %v, %v", snap.Seq, reset, err)
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	for n := range spaces {
		id := fmt.Sprintf("s%d", n)
		if _, seq, _ := s.Head(id); seq != writers*(1+2*appends+appends/20) || shown[id] != seq {
			t.Errorf("space %s stands at %d, shown %d", id, seq, shown[id])
		}
	}
	if st := s.Stats(); st.Commits >= spaces*writers*(appends+4) {
		t.Errorf("%d commits: nothing shared a transaction", st.Commits)
	}
}

func TestSpacesThatRestKeepNoEvents(t *testing.T) {
	s := open(t, t.TempDir())
	for n := range maxRecent + 5 {
		id := newSpace(t, s, fmt.Sprintf("s%d", n))
		add(t, s, id, start("m"), &transcript.MessageEnd{MessageID: "m"})
	}
	id := newSpace(t, s, "pending")
	add(t, s, id, start("m"), words("m", 0, "x"))
	for range 100 {
		add(t, s, "s0", words("m", 0, string(make([]byte, 7000))), &transcript.MessageEnd{MessageID: "m"})
	}
	a := s.active["s0"]
	if a.bytes > recentBytes {
		t.Errorf("%d bytes of events are kept", a.bytes)
	}
	s.sweep(s.opt.Now().UnixMilli())
	kept := 0
	for _, a := range s.active {
		if len(a.recent) > 0 {
			kept++
		}
	}
	if kept > maxRecent+1 {
		t.Errorf("events of %d spaces are kept", kept)
	}
	s.sweep(s.opt.Now().UnixMilli() + 2*idleAfter)
	for id, a := range s.active {
		if want := map[bool]int{true: 2}[id == "pending"]; len(a.recent) != want {
			t.Errorf("space %s keeps %d events, want %d", id, len(a.recent), want)
		}
	}
	if ev, reset, err := s.Since("pending", s.active["pending"].epoch, 0); len(ev) != 2 || reset || err != nil {
		t.Errorf("unfolded events: %d %v %v", len(ev), reset, err)
	}
	if _, reset, _ := s.Since("s0", a.epoch, 1); !reset {
		t.Error("forgotten events without a reset")
	}
}
