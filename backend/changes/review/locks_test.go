package review

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// A write that hangs on one file doesn't block writes of other files or the end of the app.
func TestBlockedWriteDoesNotBlockOthers(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "a\n")
	w.write("b.txt", "b\n")
	other := w.newSpace()
	begun, responds := make(chan struct{}), make(chan struct{})
	var hung sync.WaitGroup
	w.turn(func() {
		hung.Go(func() {
			_ = w.reviews.Watcher.Write(t.Context(), w.space, "a.txt", func() error { close(begun); <-responds; return nil })
		})
		<-begun
		w.must(w.reviews.Watcher.Write(t.Context(), w.space, "b.txt", func() error { w.write("b.txt", "B\n"); return nil }))
		w.must(w.reviews.Watcher.Write(t.Context(), other, "b.txt", func() error { w.write("b.txt", "BB\n"); return nil }))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := w.reviews.Watcher.Write(ctx, w.space, "a.txt", func() error { t.Error("the file was written by two"); return nil })
		var refused *Error
		if !errors.As(err, &refused) || refused.Code != "busy" {
			t.Errorf("a second write of the file: %v", err)
		}
		close(responds)
		hung.Wait()
	})
	w.holds("b.txt", "BB\n")
}

// Whatever the order of locks: no two holders have the same name, and every caller gets its lock.
func TestLocksExclude(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var l locks
		names := []string{"a", "b", "c", allNames}
		plans := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(names), 1, 6), 2, 5).Draw(rt, "plans")
		var mu sync.Mutex
		var held []string
		var tasks sync.WaitGroup
		for _, plan := range plans {
			tasks.Go(func() {
				for _, name := range plan {
					unlock, err := l.lock(t.Context(), name)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if slices.Contains(held, name) || slices.Contains(held, allNames) || name == allNames && len(held) > 0 {
						t.Errorf("%q was locked while %q were held", name, held)
					}
					held = append(held, name)
					mu.Unlock()
					mu.Lock()
					held = slices.Delete(held, slices.Index(held, name), slices.Index(held, name)+1)
					mu.Unlock()
					unlock()
				}
			})
		}
		tasks.Wait()
	})
}
