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

// tree is the process group of a command, and processes that left it.
type tree struct {
	since uint64 // start time of the command in the system's unit, or 0 if unknown
}

func (*tree) prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func (t *tree) admit(pid int) { t.since = started(pid) }

// ask sends SIGTERM to the group, and SIGCONT so that stopped processes receive it. It may run concurrently with admit.
func (*tree) ask(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	_ = syscall.Kill(-pid, syscall.SIGCONT)
}

// end kills the remaining processes of the group and those that left it, and waits until they are gone.
func (t *tree) end(pid int, tag string) {
	quiet, unclear := 0, 0
	for range 200 { // processes that fork during the kill need more than one pass
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
			// Check twice: a process may have forked and ended during the listing.
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
