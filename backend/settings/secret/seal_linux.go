package secret

import "golang.org/x/sys/unix"

// Seal keeps other processes of the same user from reading this one's memory, environment and descriptors in /proc, and
// from tracing it. It lasts until the next exec. Of root nothing is kept.
func Seal() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
