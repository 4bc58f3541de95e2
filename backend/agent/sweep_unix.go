//go:build unix

package agent

import (
	"syscall"
	"time"
)

// watcher names the supervisor.
func (t *tree) watcher() identity { return identify(t.supervisor.Process.Pid) }

// killLeftovers kills a recorded tree and reports whether there was anything.
func killLeftovers(r record) bool {
	var any bool
	for range 100 { // a tree that forks while it is killed needs more than one go
		list := leftovers(r)
		if len(list) == 0 {
			return any
		}
		any = true
		signalAll(list, syscall.SIGKILL)
		<-time.After(killEvery)
	}
	return any
}

// leftovers gives what lives of a recorded tree. The supervisor comes last: while
// it lives it adopts the others, so none gets out of sight.
func leftovers(r record) []process {
	all := table()
	byPID := make(map[int]process, len(all))
	for _, p := range all {
		byPID[p.pid] = p
	}
	list := tagged(r.Tag)
	for _, id := range []identity{r.Agent, r.Supervisor} {
		if id.alive() {
			list = append(list, under(all, id.PID)...)
			list = append(list, byPID[id.PID])
		}
	}
	living := list[:0]
	for _, p := range list {
		if !p.zombie && p.pid != 0 && p.pid != r.Supervisor.PID {
			living = append(living, p)
		}
	}
	if len(living) == 0 && r.Supervisor.alive() {
		living = append(living, byPID[r.Supervisor.PID])
	}
	return living
}
