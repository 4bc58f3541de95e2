package update

import (
	"os"

	"weft/backend/filelock"
)

// tryLock locks a folder, or returns [filelock.ErrHeld].
func tryLock(dir string, mode filelock.Mode) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := filelock.Try(f, mode); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
