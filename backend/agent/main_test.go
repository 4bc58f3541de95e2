package agent

import (
	"context"
	"testing"
	"time"
)

// testPaths knows the given folders and never asks a login shell.
func testPaths(t *testing.T, path string) *Paths {
	t.Helper()
	p := &Paths{getenv: func(key string) string {
		if key == "PATH" {
			return path
		}
		return ""
	}, home: t.TempDir(), ready: make(chan struct{})}
	p.once.Do(func() { close(p.ready) })
	return p
}

// eventually waits until a condition of the system (not of this process) holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("never came true: %s", what)
		}
	}
}
