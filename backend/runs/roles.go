package runs

// Prompts gives prompts to the members of spaces, and stops their runs.
type Prompts struct{ m *Manager }

// Requests is what the user is asked in all spaces, and answers.
type Requests struct{ m *Manager }

// Tools is what agents do with Weft's own tools, as their calls arrive at the gateway.
type Tools struct{ m *Manager }

// Sessions opens members' sessions with their agents, and changes them.
type Sessions struct{ m *Manager }

// Prompts returns what gives prompts.
func (m *Manager) Prompts() Prompts { return Prompts{m} }

// Requests returns what the user is asked.
func (m *Manager) Requests() Requests { return Requests{m} }

// Tools returns what agents do with Weft's own tools.
func (m *Manager) Tools() Tools { return Tools{m} }

// Sessions returns what opens sessions.
func (m *Manager) Sessions() Sessions { return Sessions{m} }
