//go:build unix

package folder

import (
	"syscall"
	"testing"
)

func TestReadDoesNotWaitForAPipe(t *testing.T) {
	f := tree(t, nil)
	if err := syscall.Mkfifo(f.Abs("pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	if _, err := f.Read("pipe", 1, 0); err == nil {
		t.Error("a pipe was read")
	}
}
