package runs

import (
	"weft/backend/modelproxy"
)

// Overhear implements [agentproc.Session].
func (l *liveSession) Overhear(e modelproxy.Event) {
	if l.dropped.Load() {
		return
	}
	l.put(func() {
		switch {
		case l.s.life.Live() != l:
		case e.Call == 0:
			l.measured.Add(e)
		case l.s.run != nil:
			l.showWritten(l.modelCalls.Read(e, func(id string) bool { return l.calls[id] != nil || l.gate.Get(id) != nil }))
		}
	})
}
