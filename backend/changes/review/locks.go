package review

import (
	"context"
	"sync"
	"time"

	"weft/backend/base/fault"
)

// locks are locks by name. Different names are independent. The zero value is ready to use.
type locks struct {
	mu      sync.Mutex
	held    map[string]bool // by name; "" stands for all names
	changed chan struct{}   // closed on each unlock
}

// allNames is the name of the lock that excludes all others.
const allNames = ""

// lockWait limits how long lock waits, because the holder may wait for a disk that doesn't respond.
const lockWait = 30 * time.Second

// lock waits until neither the name nor [allNames] is locked; for [allNames], until no name is. It gives up with an
// error of the kind "busy" when ctx ends or after [lockWait].
func (l *locks) lock(ctx context.Context, name string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		l.mu.Lock()
		if l.held == nil {
			l.held, l.changed = map[string]bool{}, make(chan struct{})
		}
		free := !l.held[name] && !l.held[allNames] && (name != allNames || len(l.held) == 0)
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
			if name == allNames {
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
