//go:build unix && !linux

package agent

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// self gives the program to start as the supervisor.
func self(exe string) string { return exe }

// becomeSupervisor has nothing to do: there is no way to adopt orphans here.
func becomeSupervisor() {}

// agentAttr puts the agent in a process group of its own.
func agentAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// members gives what lives in the agent's tree: what descends from this
// supervisor, what is in the agent's group, and what carries the tag.
func members(agent int, tag string) []process {
	all := table()
	list := under(all, os.Getpid())
	for _, p := range all {
		if p.group == agent {
			list = append(list, p)
		}
	}
	list = append(list, tagged(tag)...)
	slices.SortFunc(list, func(a, b process) int { return a.pid - b.pid })
	list = slices.CompactFunc(list, func(a, b process) bool { return a.pid == b.pid })
	// ps itself is a child of this process while it looks.
	return slices.DeleteFunc(list, func(p process) bool {
		start, err := startTime(p.pid)
		return p.pid == os.Getpid() || p.zombie || err != nil || start != p.start
	})
}

// table asks ps for all processes.
func table() []process { return read("-axo", "pid=,ppid=,pgid=,stat=,lstart=") }

func read(args ...string) []process {
	var list []process
	for line := range strings.Lines(ps(args...)) {
		f := strings.Fields(line)
		if len(f) < 9 {
			continue
		}
		p := process{zombie: strings.HasPrefix(f[3], "Z"), start: strings.Join(f[4:9], " ")}
		p.pid, _ = strconv.Atoi(f[0])
		p.parent, _ = strconv.Atoi(f[1])
		p.group, _ = strconv.Atoi(f[2])
		list = append(list, p)
	}
	return list
}

// ps gives what ps prints. Its exit status does not count: in the supervisor the
// reaper may take it away, since it waits for every child.
func ps(args ...string) string {
	cmd := exec.Command("ps", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stdout = &out
	_ = cmd.Run()
	return out.String()
}

// startTime gives when a process started, to the second. An error means that
// there is no such process; a zombie counts as none.
func startTime(pid int) (string, error) {
	list := read("-o", "pid=,ppid=,pgid=,stat=,lstart=", "-p", strconv.Itoa(pid))
	if len(list) == 0 || list[0].zombie {
		return "", os.ErrProcessDone
	}
	return list[0].start, nil
}

// bootID is not needed: start times are dates here.
func bootID() string { return "" }

// tagged gives the living processes whose environment, as far as ps may show it,
// holds the tag.
func tagged(tag string) []process {
	if tag == "" {
		return nil
	}
	var list []process
	for line := range strings.Lines(ps("-axEwwo", "pid=,command=")) {
		pid, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(pid)
		if err != nil || n == os.Getpid() || !strings.Contains(rest, tagVariable+"="+tag) {
			continue
		}
		list = append(list, read("-o", "pid=,ppid=,pgid=,stat=,lstart=", "-p", pid)...)
	}
	return list
}
