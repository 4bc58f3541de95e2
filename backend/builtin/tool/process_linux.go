package tool

import (
	"bytes"
	"os"
	"strconv"

	"weft/backend/procfs"
)

// tagged returns the living processes whose environment holds the tag. Those of other people can't be read and are left
// out. All reports whether none was left out that may be one of them: while a process executes another program, its
// environment is empty for a moment.
func (t *tree) tagged(tag string) (list []int, all bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, true
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	needle := []byte(tagVariable + "=" + tag)
	all = true
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := procfs.Environ(pid)
		switch {
		case err != nil:
		case bytes.Contains(env, needle):
			list = append(list, pid)
		case len(env) == 0:
			if alive, start := stat(pid); alive && start >= t.since {
				all = false
			}
		}
	}
	return list, all
}

// stat reads from /proc/PID/stat whether a process lives, and when it started, in clock ticks since boot; see proc_pid_stat(5).
func stat(pid int) (alive bool, start uint64) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false, 0
	}
	// Field 2 is the program's name in parentheses and may itself hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return false, 0
	}
	start, _ = strconv.ParseUint(string(fields[22-3]), 10, 64)
	return fields[0][0] != 'Z' && fields[0][0] != 'X', start
}
