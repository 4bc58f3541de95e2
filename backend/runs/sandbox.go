package runs

import (
	"reflect"

	"weft/backend/agent"
	"weft/backend/lifecycle"
	"weft/backend/permission"
	"weft/backend/sandbox"
	"weft/backend/turn"
)

// sandbox returns the one in which the agent, and commands of it, would be started now. The lock is held.
func (s *Session) sandbox(config agent.Config) *sandbox.Plan {
	return s.m.opt.Sandbox(config, s.space.Folder, s.desk.Mode.Now() == permission.ReadOnly)
}

// rewrapped reports whether the agent's process would be started in another sandbox now, because the user has changed that of the agent or the mode of the
// space, or because another agent has asked. What a sandbox takes from a process can't change. The lock is held.
func (l *liveSession) rewrapped() bool {
	config, err := l.s.m.opt.Agent(l.config.ID)
	if err != nil {
		config = l.config
	}
	return !reflect.DeepEqual(l.plan, l.s.sandbox(config))
}

// refit has a change of the mode hold for what the agent does by itself. A process with nothing to do ends if it could still write in a read-only space, and what it left
// running with it; a turn continues, and says so. A prompt that isn't sent yet goes to a process that is started again.
func (s *Session) refit() {
	s.Step(func() {
		l := s.life.Live()
		if l == nil || !l.rewrapped() {
			return
		}
		switch phase := l.stage.Phase(); {
		case phase == lifecycle.InTurn && (s.run == nil || s.run.obeyed):
			s.Effect(func() { l.put(func() { l.note(turn.Rewrapped(l.config.Name)) }) })
		case phase == lifecycle.Ready && s.desk.Mode.Now() == permission.ReadOnly:
			l.stage.End(lifecycle.Ending{Polite: true})
		}
	})
}
