package agent

import (
	"io"
	"os"
)

// follow returns what writes to the tail what comes out of a pipe, until its end.
func (t *tail) follow(f *os.File) (copy func()) { return func() { _, _ = io.Copy(t, f) } }

// drain does nothing: a pipe can't be read without waiting here.
func (t *tail) drain() {}
