package update

import (
	"os"
	"path/filepath"
)

// openLock opens what a lock of a folder belongs to.
func openLock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
}
