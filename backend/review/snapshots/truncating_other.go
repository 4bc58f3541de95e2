//go:build !linux

package snapshots

import "os"

// finished does nothing: on Linux, a file is known to be short before it has the time of its truncation.
func finished(*os.File) {}
