package asking

import (
	"weft/backend/fault"
	"weft/backend/permission"
)

// Mode is the mode in which requests of a session are decided: that of its space, or that of the agent that has asked for the run if this is
// stricter. It holds until the next run begins, also for what an agent does after the end of its turn.
type Mode struct {
	Space permission.Mode // as the user has set it

	limit permission.Mode // of the agent that has asked for the latest run, "" if that is the user
	by    string          // its name
}

// Limit takes over the mode that a prompt carries along, "" for none, and the name of the agent that asks.
func (m *Mode) Limit(mode permission.Mode, by string) { m.limit, m.by = mode, by }

// Now returns the mode that is in force.
func (m *Mode) Now() permission.Mode { return permission.Stricter(m.Space, m.limit) }

// Carried returns the mode that a run carries along where it asks another agent, "" if that is free to follow its own space's.
func (m *Mode) Carried() permission.Mode {
	if mode := m.Now(); mode != permission.FollowRules {
		return mode
	}
	return ""
}

// Notice returns a sentence for the space that the run is limited by the agent that asked for it, "" if it isn't.
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
