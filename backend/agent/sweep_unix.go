//go:build unix

package agent

import (
	"syscall"
	"time"
)

// watcher identifies the supervisor.
func (t *tree) watcher() identity { return identify(t.supervisor.Process.Pid) }

// killLeftovers kills a recorded tree and reports whether anything was left of it.
func killLeftovers(r record) bool {
	var any bool
	for range 100 { // repeated, because a tree may fork while it is being killed
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

// leftovers returns the living processes of a recorded tree. The supervisor comes last: while it lives it adopts the
// others, so that none is lost.
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
