package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks an open file. It doesn't block: it returns [ErrHeld] if another process holds a conflicting lock. It locks
// one byte far beyond the content, because other processes can't read a locked range. Folders can't be locked.
func Try(f *os.File, mode Mode) error {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if mode == Exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, place())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrHeld
	}
	return err
}

// Share turns an exclusive lock into a shared one without releasing it in between: a file can have both, and unlocking
// removes the exclusive one first.
func Share(f *os.File) error {
	if err := Try(f, Shared); err != nil {
		return err
	}
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, place())
}

// place returns the position of the locked byte.
func place() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1} }
