package runs

import (
	"reflect"

	"weft/backend/agent"
	"weft/backend/agent/sandbox"
	"weft/backend/permission"
	"weft/backend/space/lifecycle"
	"weft/backend/space/turn"
)

// sandbox returns the sandbox for starting the agent or one of its commands now. The lock is held.
func (s *Session) sandbox(config agent.Config) *sandbox.Plan {
	return s.m.opt.Sandbox(config, s.space.Folder, s.inbox.Mode.Now() == permission.ReadOnly)
}

// rewrapped reports whether the agent now needs a different sandbox than the one it was started in, because the user
// has changed the agent's sandbox or the mode of the space, or because another agent limits the mode. The sandbox of a
// running process can't change. The lock is held.
func (l *liveSession) rewrapped() bool {
	config, err := l.s.m.opt.Agent(l.config.ID)
	if err != nil {
		config = l.config
	}
	return !reflect.DeepEqual(l.plan, l.s.sandbox(config))
}

// applySandbox reacts to a change of the mode that needs a different sandbox. If the space is now read-only, an idle
// session ends, with the commands it left running. A turn continues in the old sandbox, with a note. A prompt that
// isn't sent yet goes to a new process.
func (s *Session) applySandbox() {
	s.Step(func() {
		l := s.life.Live()
		if l == nil || !l.rewrapped() {
			return
		}
		switch phase := l.stage.Phase(); {
		case phase == lifecycle.InTurn && (s.run == nil || s.run.enforced):
			s.Effect(func() { l.put(func() { l.note(turn.Rewrapped(l.config.Name)) }) })
		case phase == lifecycle.Ready && s.inbox.Mode.Now() == permission.ReadOnly:
			l.stage.End(lifecycle.Ending{Polite: true})
		}
	})
}
