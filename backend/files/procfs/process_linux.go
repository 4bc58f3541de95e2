package procfs

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// Process is what /proc/PID/stat says of a process; see proc_pid_stat(5).
type Process struct {
	Name          string // of the program, at most 15 bytes of it
	Parent, Group int
	State         byte   // 'Z': it has ended, and its parent hasn't asked how; 'X': it is about to vanish
	CPU           uint64 // clock ticks that all of its threads have used
	Start         uint64 // clock ticks since boot
}

// PIDs lists all processes; nil if they can't be listed.
func PIDs() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	var list []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// Stat reads what the system says of a process. An error means that there is no such process.
func Stat(pid int) (Process, error) { return stat("/proc/" + strconv.Itoa(pid) + "/stat") }

// Threads reads what the system says of each thread of a process; nil if there is no such process. CPU is that of the
// thread.
func Threads(pid int) []Process {
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	entries, _ := os.ReadDir(dir)
	var list []Process
	for _, e := range entries {
		if t, err := stat(dir + "/" + e.Name() + "/stat"); err == nil {
			list = append(list, t)
		}
	}
	return list
}

func stat(path string) (Process, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Process{}, err
	}
	// Field 2 is the program's name in parentheses and may itself hold anything.
	begin, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	fields := bytes.Fields(text[end+1:]) // from field 3 on
	if len(fields) < 20 || begin < 0 || end < begin {
		return Process{}, errors.New("unknown form of /proc/PID/stat")
	}
	p := Process{Name: string(text[begin+1 : end]), State: fields[0][0]}
	p.Parent, _ = strconv.Atoi(string(fields[4-3]))
	p.Group, _ = strconv.Atoi(string(fields[5-3]))
	user, _ := strconv.ParseUint(string(fields[14-3]), 10, 64)
	system, _ := strconv.ParseUint(string(fields[15-3]), 10, 64)
	p.CPU = user + system
	p.Start, _ = strconv.ParseUint(string(fields[22-3]), 10, 64)
	return p, nil
}
