package tool

import (
	"bytes"
	"os"

	"weft/backend/procfs"
)

// tagged returns the living processes whose environment holds the tag. Those of other people can't be read and are left
// out. All reports whether none was left out that may be one of them: while a process executes another program, its
// environment is empty for a moment.
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

// started returns when a process was started, in clock ticks since boot; 0 if there is no such process.
func started(pid int) uint64 {
	p, _ := procfs.Stat(pid)
	return p.Start
}
