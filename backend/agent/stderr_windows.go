package agent

import (
	"io"
	"os"
)

// follow returns a function that copies a pipe to the tail until its end.
func (t *tail) follow(f *os.File) (copy func()) { return func() { _, _ = io.Copy(t, f) } }

// drain does nothing: on Windows a pipe can't be read without blocking.
func (t *tail) drain() {}
