package agent

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"weft/backend/files/procfs"
)

// self returns the program to start as the supervisor. The path in /proc refers to this program even after an update
// has replaced or removed the file.
func self(string) string { return "/proc/self/exe" }

// becomeSupervisor makes this process the parent of every orphan below it, and sets a process name for ps in place of
// "exe".
func becomeSupervisor() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	_ = os.WriteFile("/proc/self/comm", []byte(helperName), 0)
}

// agentAttr starts the agent in its own process group, and makes the kernel kill it when the supervisor is killed.
func agentAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// members returns the processes in the tree below this supervisor. No process can leave it, whatever it does to its
// group, session or environment.
func members(int, string) []process {
	return under(table(), os.Getpid())
}

// table returns all processes. Those that end meanwhile are skipped.
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

// startTime returns when a process started, in clock ticks since boot. It returns an error if there is no such process
// or it is a zombie.
func startTime(pid int) (string, error) {
	p, err := stat(pid)
	if err == nil && p.zombie {
		err = os.ErrProcessDone
	}
	return p.start, err
}

// bootID identifies the current boot, because start times are relative to it.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// tagged returns the living processes that were started with this tag in their environment, or that have its mark.
// Processes of other users can't be read and are skipped.
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
