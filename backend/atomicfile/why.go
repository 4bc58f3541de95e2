package atomicfile

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// Full reports whether err says that the disk, or the user's share of it, has no room left.
func Full(err error) bool { return is(err, noRoom) }

// Denied reports whether err says that nothing may be written there: by permissions, or because the file system is read-only.
func Denied(err error) bool {
	return errors.Is(err, fs.ErrPermission) || is(err, readOnly)
}

func is(err error, numbers []syscall.Errno) bool {
	var number syscall.Errno
	return errors.As(err, &number) && slices.Contains(numbers, number)
}
