// Package filelock locks files and folders against other processes. The operating system releases a lock when its file is closed or the
// process ends, however it ends.
package filelock

import "errors"

// ErrHeld says that another process has a lock that this one excludes.
var ErrHeld = errors.New("the lock is held")

// Mode is how much a lock excludes.
type Mode int

// The modes of a lock.
const (
	Shared    Mode = iota // other shared ones are allowed
	Exclusive             // no others are
)
