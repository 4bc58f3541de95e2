package news

import "sync"

// latest runs work for keys, one goroutine at a time for each key: what was read first can't be sent last.
type latest struct {
	mu    sync.Mutex
	again map[string]bool // the keys that are worked on, and whether more has changed since that began
}

// changed has work run that begins after now: in a goroutine that start begins, or in the one that works on the key.
func (l *latest) changed(key string, start func(func()), work func()) {
	if l.begin(key) {
		start(func() { l.run(key, work) })
	}
}

// begin reports whether the caller is the one to work on the key. If not, the one who does so repeats it.
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
		if !done { // work panicked: the next change begins again
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

// next reports whether there is more to do for the key, which is removed if not.
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
