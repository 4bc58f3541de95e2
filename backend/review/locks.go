package review

import (
	"context"
	"sync"
	"time"

	"weft/backend/fault"
)

// locks are held by name, and none waits for another name. The zero value is ready for use.
type locks struct {
	mu      sync.Mutex
	held    map[string]bool // by name; "" stands for all of them
	changed chan struct{}   // closed when one is let go of
}

// every is the lock that excludes all others.
const every = ""

// lockWait is how long a lock is waited for: whoever holds it may wait for a disk that doesn't respond.
const lockWait = 30 * time.Second

// lock waits until nobody holds the name, or all names, but not longer than ctx and [lockWait] allow. Where the name is
// [every], it waits for all of them.
func (l *locks) lock(ctx context.Context, name string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		l.mu.Lock()
		if l.held == nil {
			l.held, l.changed = map[string]bool{}, make(chan struct{})
		}
		free := !l.held[name] && !l.held[every] && (name != every || len(l.held) == 0)
		if free {
			l.held[name] = true
			l.mu.Unlock()
			return func() { l.unlock(name) }, nil
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			what := name
			if name == every {
				what = "the folder"
			}
			return nil, fault.New("busy", "Another operation on {{path}} is in progress. Try again in a moment.", what).Because(ctx.Err())
		}
	}
}

func (l *locks) unlock(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, name)
	close(l.changed)
	l.changed = make(chan struct{})
}
