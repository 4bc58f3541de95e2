package service

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestTheLatestIsToldLast has many changes at once; what is told last has to be what was the case after the last of them.
func TestTheLatestIsToldLast(t *testing.T) {
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
