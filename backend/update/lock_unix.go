//go:build !windows

package update

import (
	"errors"
	"os"
	"syscall"
)

type lockMode int

const (
	shared    lockMode = syscall.LOCK_SH
	exclusive lockMode = syscall.LOCK_EX
)

// errHeld says that another process has the lock.
var errHeld = errors.New("the lock is held")

// tryLock locks a folder, or returns errHeld. The system releases the lock when the file is closed or the process ends.
func tryLock(dir string, mode lockMode) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := relock(f, mode); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// relock changes the mode of a lock.
func relock(f *os.File, mode lockMode) error {
	for {
		err := syscall.Flock(int(f.Fd()), int(mode)|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		default:
			return err
		}
	}
}
