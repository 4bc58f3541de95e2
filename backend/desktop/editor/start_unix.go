//go:build unix

package editor

import (
	"os/exec"
	"syscall"
)

// detach gives a program its own session, so that it doesn't end with Weft or its terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
