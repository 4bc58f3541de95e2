package agent

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"weft/backend/procfs"
)

// self gives the program to start as the supervisor. Through /proc it is this
// very program even when an update has replaced or removed the file.
func self(string) string { return "/proc/self/exe" }

// becomeSupervisor makes this process the parent of every orphan below it, and
// gives it a name in place of "exe" for the user who looks at ps.
func becomeSupervisor() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	_ = os.WriteFile("/proc/self/comm", []byte(helperName), 0)
}

// agentAttr puts the agent in a process group of its own and has the kernel kill
// it when the supervisor is killed.
func agentAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// members gives what lives in the tree below this supervisor. No process can
// leave it, whatever it does to its group, session or environment.
func members(int, string) []process {
	return under(table(), os.Getpid())
}

// table reads all processes. Those that vanish meanwhile are left out.
func table() []process {
	var list []process
	for _, pid := range procfs.PIDs() {
		if p, err := stat(pid); err == nil {
			list = append(list, p)
		}
	}
	return list
}

func stat(pid int) (process, error) {
	p, err := procfs.Stat(pid)
	if err != nil {
		return process{}, err
	}
	return process{pid: pid, parent: p.Parent, group: p.Group, zombie: p.State == 'Z', start: strconv.FormatUint(p.Start, 10)}, nil
}

// startTime gives when a process started, in clock ticks since boot. An error
// means that there is no such process; a zombie counts as none.
func startTime(pid int) (string, error) {
	p, err := stat(pid)
	if err == nil && p.zombie {
		err = os.ErrProcessDone
	}
	return p.start, err
}

// bootID tells one run of the system from the next, since start times begin again.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// tagged gives the living processes that were started with this tag in their
// environment, or have its mark. Those of other people cannot be read and are left out.
func tagged(tag string) []process {
	needle := []byte(tagVariable + "=" + tag + "\x00")
	var list []process
	for _, pid := range procfs.PIDs() {
		if pid == os.Getpid() {
			continue
		}
		if !hasMark(pid, tag) {
			env, err := procfs.Environ(pid)
			if err != nil || !bytes.Contains(env, needle) {
				continue
			}
		}
		if p, err := stat(pid); err == nil && !p.zombie {
			list = append(list, p)
		}
	}
	return list
}
