//go:build unix

package agent

import (
	"os"
	"syscall"
)

// process is an entry of the system's process table.
type process struct {
	pid, parent, group int
	zombie             bool
	start              string // see startTime
}

// signal sends a signal to exactly this process, and not to another one that has reused its pid. On Linux the handle
// is a pidfd, so there is no race between the check and the signal.
func (p process) signal(sig syscall.Signal) {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return
	}
	defer func() { _ = handle.Release() }()
	if start, err := startTime(p.pid); err == nil && start == p.start {
		_ = handle.Signal(sig)
	}
}

// under returns the processes of the table that descend from root, without root.
func under(table []process, root int) []process {
	children := make(map[int][]process, len(table))
	for _, p := range table {
		children[p.parent] = append(children[p.parent], p)
	}
	var out []process
	for queue := children[root]; len(queue) > 0; queue = queue[1:] {
		out = append(out, queue[0])
		queue = append(queue, children[queue[0].pid]...)
	}
	return out
}
