package atomicfile

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// Full reports whether err means that the disk is full or the user's quota is exceeded.
func Full(err error) bool { return is(err, noRoom) }

// Denied reports whether err means that writing is not allowed, because of permissions or a read-only file system.
func Denied(err error) bool {
	return errors.Is(err, fs.ErrPermission) || is(err, readOnly)
}

func is(err error, numbers []syscall.Errno) bool {
	var number syscall.Errno
	return errors.As(err, &number) && slices.Contains(numbers, number)
}
