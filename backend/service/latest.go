package service

import "sync"

// latest runs work for keys, for each key once at a time: what was found first can't be told last.
type latest struct {
	mu    sync.Mutex
	again map[string]bool // the keys that are worked on, and whether more has changed since that began
}

// changed has work run that begins after now: in a goroutine that start begins, or in the one that works on the key.
func (l *latest) changed(key string, start func(func()), work func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again == nil {
		l.again = map[string]bool{}
	}
	if _, busy := l.again[key]; busy {
		l.again[key] = true
		return
	}
	l.again[key] = false
	start(func() {
		for more := true; more; more = l.next(key) {
			work()
		}
	})
}

// next reports whether there is more to do for the key, which is done with if not.
func (l *latest) next(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again[key] {
		l.again[key] = false
		return true
	}
	delete(l.again, key)
	return false
}
