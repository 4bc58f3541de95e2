// Package filelock locks files and folders against other processes. The operating system releases a lock when its file
// is closed or the process ends in any way.
package filelock

import "errors"

// ErrHeld means that another process holds a conflicting lock.
var ErrHeld = errors.New("the lock is held")

// Mode is the mode of a lock.
type Mode int

// The modes of a lock.
const (
	Shared    Mode = iota // allows other shared locks
	Exclusive             // allows no other locks
)
