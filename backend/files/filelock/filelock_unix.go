//go:build !windows

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks an open file or folder. It doesn't block: it returns [ErrHeld] if another process holds a conflicting lock.
func Try(f *os.File, mode Mode) error {
	how := syscall.LOCK_SH
	if mode == Exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrHeld
		default:
			return err
		}
	}
}

// Share turns an exclusive lock into a shared one.
func Share(f *os.File) error { return Try(f, Shared) }
