package store

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"weft/backend/conversation/transcript"
)

// TestConcurrentAppendsAreNumberedAndShownInOrder appends to a few spaces from many goroutines while others read.
func TestConcurrentAppendsAreNumberedAndShownInOrder(t *testing.T) {
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
				snap, err := s.Pages.Snapshot(ctx, id, 10)
				if err != nil || snap.Seq < last {
					t.Errorf("snapshot at %d after %d: %v", snap.Seq, last, err)
					return
				}
				last = snap.Seq
				ev, reset, err := s.Events.Since(id, snap.Epoch, snap.Seq)
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
		if _, seq, _ := s.Events.Head(id); seq != writers*(1+2*appends+appends/20) || shown[id] != seq {
			t.Errorf("space %s is at %d, shown %d", id, seq, shown[id])
		}
	}
	if st := s.Stats(); st.Commits >= spaces*writers*(appends+4) {
		t.Errorf("%d commits: nothing shared a transaction", st.Commits)
	}
}
