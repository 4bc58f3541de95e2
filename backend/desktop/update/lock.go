package update

import (
	"os"

	"weft/backend/files/filelock"
)

// lockName is the file that stands for a folder, on systems that lock files only.
const lockName = "lock"

// tryLock locks a folder, or returns [filelock.ErrHeld].
func tryLock(dir string, mode filelock.Mode) (*os.File, error) {
	f, err := openLock(dir)
	if err != nil {
		return nil, err
	}
	if err := filelock.Try(f, mode); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
