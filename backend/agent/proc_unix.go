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

// self returns the program to start as the supervisor.
func self(exe string) string { return exe }

// becomeSupervisor does nothing: orphans can't be adopted here.
func becomeSupervisor() {}

// agentAttr starts the agent in its own process group.
func agentAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// members returns the processes in the agent's tree: descendants of this supervisor, processes in the agent's group,
// and those with the tag.
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
	// ps itself is a child of this process while it runs.
	return slices.DeleteFunc(list, func(p process) bool {
		start, err := startTime(p.pid)
		return p.pid == os.Getpid() || p.zombie || err != nil || start != p.start
	})
}

// table returns all processes, from ps.
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

// ps returns the output of ps. Its exit status is ignored, because the supervisor's reaper, which waits for every
// child, may have consumed it.
func ps(args ...string) string {
	cmd := exec.Command("ps", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stdout = &out
	_ = cmd.Run()
	return out.String()
}

// startTime returns when a process started, to the second. It returns an error if there is no such process or it is a
// zombie.
func startTime(pid int) (string, error) {
	list := read("-o", "pid=,ppid=,pgid=,stat=,lstart=", "-p", strconv.Itoa(pid))
	if len(list) == 0 || list[0].zombie {
		return "", os.ErrProcessDone
	}
	return list[0].start, nil
}

// bootID isn't needed, because start times are dates here.
func bootID() string { return "" }

// tagged returns the living processes whose environment contains the tag, as far as ps shows it.
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
