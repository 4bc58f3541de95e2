package agent

import (
	"testing"
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
