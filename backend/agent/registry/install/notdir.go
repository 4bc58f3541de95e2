package install

import (
	"errors"
	"syscall"
)

// isNotDir reports whether an error means that a parent of a path is not a folder.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
