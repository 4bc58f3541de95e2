//go:build unix

package tool

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tree is the process group of a command.
type tree struct{}

func (tree) prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func (tree) admit(int) {}

// ask tells the group to end. What is stopped would not hear it.
func (tree) ask(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	_ = syscall.Kill(-pid, syscall.SIGCONT)
}

// end kills what is left of the group, and what has left it, and waits until it is gone.
func (tree) end(pid int, tag string) {
	for range 200 { // what forks while it is killed needs more than one go
		err := syscall.Kill(-pid, syscall.SIGKILL)
		left := tagged(tag)
		for _, other := range left {
			_ = syscall.Kill(other, syscall.SIGKILL)
		}
		if errors.Is(err, syscall.ESRCH) && len(left) == 0 {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
}

func signalOf(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return unix.SignalName(status.Signal())
}
