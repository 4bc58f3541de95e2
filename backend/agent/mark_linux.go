package agent

import (
	"crypto/sha256"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// A tree is marked with a resource limit that processes inherit and that the kernel no longer enforces: the number of
// file locks. Unlike a variable, it survives changes of the environment; unlike the parent, it survives when the
// parent is killed; and only root can raise it again.
const markLimit = unix.RLIMIT_LOCKS

// markOf returns the limit for the tree with that tag. It is so high that no other program sets it.
func markOf(tag string) uint64 {
	sum := sha256.Sum256([]byte(tag))
	return binary.LittleEndian.Uint64(sum[:])>>2 | 1<<61
}

// mark marks this process and everything that it starts from now on. If the process already has such a limit, because
// this Weft runs inside of another Weft's agent, it does nothing: the mark of the outer tree must stay.
func mark(tag string) {
	var now unix.Rlimit
	if unix.Getrlimit(markLimit, &now) == nil && now.Max == unix.RLIM_INFINITY {
		_ = unix.Setrlimit(markLimit, &unix.Rlimit{Cur: markOf(tag), Max: markOf(tag)})
	}
}

// hasMark reports whether a process belongs to the tree with that tag. It returns false for processes of other users,
// which can't be read.
func hasMark(pid int, tag string) bool {
	var limit unix.Rlimit
	return unix.Prlimit(pid, markLimit, nil, &limit) == nil && limit.Max == markOf(tag)
}
