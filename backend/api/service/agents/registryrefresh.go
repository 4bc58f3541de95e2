package agents

import (
	"sync"
	"sync/atomic"
	"time"

	"weft/backend/agent/registry"
)

// refreshes records when the source of the list was last requested.
type refreshes struct {
	running atomic.Int32 // refreshes in progress

	mu     sync.Mutex
	at     time.Time
	of     string // the source of that request
	source string // from the last settings
}

// note records a request to a source.
func (r *refreshes) note(source string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.of = time.Now(), source
}

// due reports whether a list is old enough for a refresh, and records one if so.
func (r *refreshes) due(now registry.Listing) bool {
	wait := listAge
	if now.Failure != nil || now.Shipped() || now.Local {
		wait = retryAge
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var asked time.Time
	if r.of == now.Source {
		asked = r.at
	}
	if time.Since(now.CheckedAt) <= wait || time.Since(asked) <= retryAge {
		return false
	}
	r.at, r.of = time.Now(), now.Source
	return true
}

// sourceChanged reports whether the source differs from the last call.
func (r *refreshes) sourceChanged(source string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	other := r.source != source
	r.source = source
	return other
}
