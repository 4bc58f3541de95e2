package jobs

import (
	"context"
	"maps"
	"sync"

	"weft/backend/base/command"
)

// Tests are the tests in progress.
type Tests struct {
	mu     sync.Mutex
	next   int
	cancel map[int]context.CancelFunc
	done   sync.WaitGroup
}

// Start begins a test. ctx ends when the test is canceled. The caller must call end when the test is over.
func (t *Tests) Start(parent context.Context) (ctx context.Context, end func()) {
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
func (t *Tests) StopAll() {
	t.mu.Lock()
	all := maps.Clone(t.cancel)
	t.mu.Unlock()
	for _, cancel := range all {
		cancel()
	}
	t.done.Wait()
}

// CancelTest cancels all running tests.
func (t *Tests) CancelTest(context.Context, command.None) (command.None, error) {
	t.StopAll()
	return command.None{}, nil
}
