//go:build !windows

package update

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/base/raced"
)

// While an agent is being started, the system may still see a new version as being written: the process that becomes
// the agent has its file open for a moment.
func TestNewVersionIsTriedWhileAgentsAreStarted(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = exec.Command("/bin/true").Run() //nolint:noctx // it ends by itself
		}
	}()
	program := []byte("#!/bin/sh\necho weft 2.0.0\n" + strings.Repeat("#\n", 1<<20))
	for range raced.Of(60) {
		path := filepath.Join(dir, "weft")
		if err := os.WriteFile(path, program, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := try(t.Context(), path, "2.0.0"); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	<-done
}
