package requests

import (
	"weft/backend/base/fault"
	"weft/backend/permission"
)

// Mode is the mode in which requests of a session are decided: that of its space, or the mode of the agent that
// requested the run if it is stricter. It stays in force until the next run begins, also for what an agent does after
// its turn.
type Mode struct {
	Space permission.Mode // set by the user

	limit permission.Mode // mode of the agent that requested the latest run; "" if the user did
	by    string          // name of that agent
}

// Limit sets the mode that comes with a prompt, or "", and the name of the agent that sent it.
func (m *Mode) Limit(mode permission.Mode, by string) { m.limit, m.by = mode, by }

// Now returns the mode in force.
func (m *Mode) Now() permission.Mode { return permission.Stricter(m.Space, m.limit) }

// Carried returns the mode that goes along when the run sends a prompt to another agent, or "" if that agent only
// follows the mode of its own space.
func (m *Mode) Carried() permission.Mode {
	if mode := m.Now(); mode != permission.FollowRules {
		return mode
	}
	return ""
}

// Notice returns a sentence for the space if the agent that requested the run limits it, or "".
func (m *Mode) Notice() fault.Said {
	if m.Now() == m.Space {
		return ""
	}
	switch m.limit {
	case permission.ReadOnly:
		return fault.Say("Read-only, because this was requested by {{agent}}, which is read-only.", m.by)
	case permission.AskAlways:
		return fault.Say("Weft asks about everything, because this was requested by {{agent}}, which has that setting.", m.by)
	case permission.FollowRules:
	}
	return ""
}
