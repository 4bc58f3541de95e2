//go:build !windows

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks an open file or folder, or changes the mode of its lock. It doesn't wait: where another process is in the way it returns [ErrHeld].
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
