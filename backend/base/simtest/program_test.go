//go:build unix

package simtest

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestWrittenProgramsStart writes programs while others are started.
func TestWrittenProgramsStart(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 8 {
		dir := t.TempDir()
		all.Go(func() {
			for range 20 {
				path := filepath.Join(dir, "program")
				if err := WriteProgram(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
					t.Error(err)
				}
				if err := exec.Command(path).Run(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
