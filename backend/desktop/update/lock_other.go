//go:build !windows

package update

import "os"

// openLock opens what a lock of a folder belongs to.
func openLock(dir string) (*os.File, error) { return os.Open(dir) }
