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

// tree is the process group of a command, and what has left it.
type tree struct {
	since uint64 // when the command was started, as the system counts; 0 where that is not known
}

func (*tree) prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func (t *tree) admit(pid int) { t.since = started(pid) }

// ask tells the group to end. What is stopped would not hear it. It may be called while admit is.
func (*tree) ask(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	_ = syscall.Kill(-pid, syscall.SIGCONT)
}

// end kills what is left of the group, and what has left it, and waits until it is gone.
func (t *tree) end(pid int, tag string) {
	quiet, unclear := 0, 0
	for range 200 { // what forks while it is killed needs more than one go
		err := syscall.Kill(-pid, syscall.SIGKILL)
		left, all := t.tagged(tag)
		for _, other := range left {
			_ = syscall.Kill(other, syscall.SIGKILL)
		}
		if errors.Is(err, syscall.ESRCH) && len(left) == 0 {
			if all {
				quiet++
			} else {
				unclear++
			}
			// Twice, as a process may have made another one and ended while they were listed.
			if quiet == 2 || unclear == 20 {
				return
			}
			if all {
				continue
			}
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
