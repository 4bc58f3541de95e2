//go:build unix

package regular

import "syscall"

const (
	// quick keeps open(2) from waiting for the other end of a pipe, and a terminal from becoming that of Weft.
	quick = syscall.O_NONBLOCK | syscall.O_NOCTTY
	// inside, after the name of a folder, has the system refuse a name that is something else before it opens that.
	inside = "/."
)
