package app

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestLatestStateIsToldLast makes many concurrent changes. The last published state must be the final one.
func TestLatestStateIsToldLast(t *testing.T) {
	for range 200 {
		var l latest
		var tasks, writers sync.WaitGroup
		var now, told, busy atomic.Int64
		for range 4 {
			writers.Go(func() {
				for range 50 {
					now.Add(1)
					l.changed("space", tasks.Go, func() {
						if busy.Add(1) > 1 {
							t.Error("two read at once")
						}
						told.Store(now.Load())
						busy.Add(-1)
					})
				}
			})
		}
		writers.Wait()
		tasks.Wait()
		if told.Load() != now.Load() {
			t.Fatalf("told %d of %d", told.Load(), now.Load())
		}
		if len(l.again) != 0 {
			t.Fatalf("kept %v", l.again)
		}
	}
}

// A read that panics must not keep its key busy, or no later state would be sent.
func TestPanicInReadDoesNotStopLaterStates(t *testing.T) {
	var l latest
	inline := func(work func()) { work() }
	func() {
		defer func() { _ = recover() }()
		l.changed("agents", inline, func() { panic("broken") })
	}()
	told := 0
	l.changed("agents", inline, func() { told++ })
	if told != 1 || len(l.again) != 0 {
		t.Fatalf("told %d times, kept %v", told, l.again)
	}
}
