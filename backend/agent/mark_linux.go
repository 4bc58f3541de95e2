package agent

import (
	"crypto/sha256"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// A tree is marked with a limit that its processes inherit and that the kernel no longer enforces: the number of file
// locks. Unlike a variable it stays through any change of the environment, unlike a parent it stays when that is
// killed, and only the administrator can raise it again.
const markLimit = unix.RLIMIT_LOCKS

// markOf is the limit of the tree with that tag. It is so high that nobody else has it.
func markOf(tag string) uint64 {
	sum := sha256.Sum256([]byte(tag))
	return binary.LittleEndian.Uint64(sum[:])>>2 | 1<<61
}

// mark marks this process and all that it starts from now on. In a process that has such a limit already (a Weft that
// runs inside of an agent of another Weft) it does nothing: the mark of the outer tree has to stay.
func mark(tag string) {
	var now unix.Rlimit
	if unix.Getrlimit(markLimit, &now) == nil && now.Max == unix.RLIM_INFINITY {
		_ = unix.Setrlimit(markLimit, &unix.Rlimit{Cur: markOf(tag), Max: markOf(tag)})
	}
}

// hasMark reports whether a process belongs to the tree with that tag. Those of other people can't be asked.
func hasMark(pid int, tag string) bool {
	var limit unix.Rlimit
	return unix.Prlimit(pid, markLimit, nil, &limit) == nil && limit.Max == markOf(tag)
}
