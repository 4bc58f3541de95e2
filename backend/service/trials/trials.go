// Package trials tracks tests of agents, servers and providers, so that the user can cancel them.
package trials

import (
	"context"
	"maps"
	"sync"

	"weft/backend/command"
)

// Trials are the tests in progress.
type Trials struct {
	mu     sync.Mutex
	next   int
	cancel map[int]context.CancelFunc
	done   sync.WaitGroup
}

// Start begins a test. ctx ends when the test is canceled. The caller must call end when the test is over.
func (t *Trials) Start(parent context.Context) (ctx context.Context, end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	trial, cancel := context.WithCancel(parent)
	if t.cancel == nil {
		t.cancel = map[int]context.CancelFunc{}
	}
	t.next++
	id := t.next
	t.cancel[id] = cancel
	t.done.Add(1)
	return trial, func() {
		cancel()
		t.mu.Lock()
		delete(t.cancel, id)
		t.mu.Unlock()
		t.done.Done()
	}
}

// StopAll cancels all tests and waits for their end.
func (t *Trials) StopAll() {
	t.mu.Lock()
	all := maps.Clone(t.cancel)
	t.mu.Unlock()
	for _, cancel := range all {
		cancel()
	}
	t.done.Wait()
}

// CancelTest cancels all running tests.
func (t *Trials) CancelTest(context.Context, command.None) (command.None, error) {
	t.StopAll()
	return command.None{}, nil
}
