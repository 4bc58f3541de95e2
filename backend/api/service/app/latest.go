package app

import "sync"

// latest runs work per key, one goroutine at a time for each key, so that results are sent in the order in which they
// were read.
type latest struct {
	mu    sync.Mutex
	again map[string]bool // keys in progress, and whether they changed again since then
}

// changed makes sure that work runs for the key with a start after now: in a new goroutine from start, or again in the
// one that runs already.
func (l *latest) changed(key string, start func(func()), work func()) {
	if l.begin(key) {
		start(func() { l.run(key, work) })
	}
}

// begin reports whether the caller must do the work for the key. Otherwise the current goroutine repeats it.
func (l *latest) begin(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again == nil {
		l.again = map[string]bool{}
	}
	_, busy := l.again[key]
	l.again[key] = busy
	return !busy
}

func (l *latest) run(key string, work func()) {
	done := false
	defer func() {
		if !done { // work panicked: let the next change begin again
			l.end(key)
		}
	}()
	for more := true; more; more = l.next(key) {
		work()
	}
	done = true
}

func (l *latest) end(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.again, key)
}

// next reports whether the key needs more work, and removes the key if not.
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
