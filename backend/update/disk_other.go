//go:build !windows

package update

import (
	"os"
	"os/exec"
)

func newDisk() disk { return disk{os.Rename, os.Remove} }

// hideWindow has nothing to do: only Windows opens one for a program without a terminal.
func hideWindow(*exec.Cmd) {}
