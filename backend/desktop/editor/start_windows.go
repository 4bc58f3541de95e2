package editor

import (
	"os/exec"
	"syscall"
)

const (
	newProcessGroup = 0x00000200 // CREATE_NEW_PROCESS_GROUP
	noWindow        = 0x08000000 // CREATE_NO_WINDOW: code is a batch file
)

// detach gives a program its own process group, so that it doesn't end with Weft's.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: newProcessGroup | noWindow}
}
