package procfs

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// Process is what /proc/PID/stat says of a process; see proc_pid_stat(5).
type Process struct {
	Parent, Group int
	State         byte   // 'Z': it has ended, and its parent hasn't asked how; 'X': it is about to vanish
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
func Stat(pid int) (Process, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Process{}, err
	}
	// Field 2 is the program's name in parentheses and may itself hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // from field 3 on
	if len(fields) < 20 {
		return Process{}, errors.New("unknown form of /proc/PID/stat")
	}
	p := Process{State: fields[0][0]}
	p.Parent, _ = strconv.Atoi(string(fields[4-3]))
	p.Group, _ = strconv.Atoi(string(fields[5-3]))
	p.Start, _ = strconv.ParseUint(string(fields[22-3]), 10, 64)
	return p, nil
}
