package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks an open file. It doesn't wait: where another process is in the way it returns [ErrHeld]. It locks one byte far behind the content,
// because other processes can't read a locked range. Folders can't be locked.
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

// Share makes an exclusive lock a shared one, without letting go of it between: a file may have both, and the exclusive one is the first to be
// unlocked.
func Share(f *os.File) error {
	if err := Try(f, Shared); err != nil {
		return err
	}
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, place())
}

// place is where the locked byte is.
func place() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1} }
