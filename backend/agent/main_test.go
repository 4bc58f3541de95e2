package agent

import (
	"context"
	"os"
	"testing"
	"time"
)

// The test binary is also the supervisor and every kind of agent that the tests
// need: its first argument says which.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "supervise":
			os.Exit(SuperviseMain(os.Args[2:]))
		case "test-app":
			appMain(os.Args[2:])
		}
		if run := fakes[os.Args[1]]; run != nil {
			run()
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

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
