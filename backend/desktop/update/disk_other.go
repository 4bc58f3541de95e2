//go:build !windows

package update

import "os"

func newDisk() disk { return disk{os.Rename, os.Remove} }
