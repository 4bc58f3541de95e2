package tool

import (
	"bytes"
	"os"

	"weft/backend/files/procfs"
)

// tagged returns the living processes with the tag in their environment. It skips processes of other users, which can't
// be read. all is false if it may have missed one, because a process's environment is briefly empty during exec.
func (t *tree) tagged(tag string) (list []int, all bool) {
	needle := []byte(tagVariable + "=" + tag)
	all = true
	for _, pid := range procfs.PIDs() {
		if pid == os.Getpid() {
			continue
		}
		env, err := procfs.Environ(pid)
		switch {
		case err != nil:
		case bytes.Contains(env, needle):
			list = append(list, pid)
		case len(env) == 0:
			p, err := procfs.Stat(pid)
			if err == nil && p.State != 'Z' && p.State != 'X' && p.Start >= t.since {
				all = false
			}
		}
	}
	return list, all
}

// started returns the start time of a process in clock ticks since boot, or 0 if there is no such process.
func started(pid int) uint64 {
	p, _ := procfs.Stat(pid)
	return p.Start
}
