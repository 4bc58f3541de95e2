package runs

import (
	"reflect"

	"weft/backend/agentproc"
	"weft/backend/permission"
	"weft/backend/turn"
)

// outgrown reports whether the agent's process is in a sandbox that no longer fits the space's mode: what a folder is
// mounted as can't change. The session's mutex is held.
func (l *liveSession) outgrown() bool {
	p := l.plan
	return p != nil && p.ReadOnly != (l.s.desk.Mode.Space == permission.ReadOnly)
}

// boxedAnew reports whether the user has changed the sandbox of the agent, or turned it on or off, since its process was started.
func (l *liveSession) boxedAnew() bool {
	now, err := l.s.m.opt.Agent(l.config.ID)
	return err == nil && !reflect.DeepEqual(l.plan, agentproc.Sandbox(l.s.m.opt.DataDir, now, l.s.space.Folder, l.plan != nil && l.plan.ReadOnly))
}

// refit tells a turn that works on in a sandbox that no longer fits that the mode holds for the agent's own files and
// commands only from the next prompt on.
func (s *Session) refit() {
	s.Lock()
	l := s.life.Live()
	outgrown := l != nil && s.run != nil && l.outgrown()
	s.Unlock()
	if outgrown {
		l.put(func() { l.note(turn.Outgrown(l.config.Name)) })
	}
}
