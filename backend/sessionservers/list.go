package sessionservers

import (
	"slices"

	"weft/backend/callview"
	"weft/backend/settings"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// List is what became of the MCP servers that an agent was handed in a session. The zero value is an empty list. It is not safe for concurrent use.
type List struct{ handed []Handed }

// Set replaces the list.
func (l *List) Set(handed []Handed) { l.handed = handed }

// Refuse notes that the agent has refused those that it was offered, and returns their names.
func (l *List) Refuse() (names []string) {
	l.handed = slices.Clone(l.handed)
	for i := range l.handed {
		if h := &l.handed[i]; h.Handed {
			h.Handed, h.Why = false, "refused"
			names = append(names, h.Name)
		}
	}
	return names
}

// All returns the list, which doesn't change anymore.
func (l *List) All() []Handed { return l.handed }

// Waits reports whether the agent has not connected yet to a server that it was offered.
func (l *List) Waits() bool { return Waits(l.handed) }

// ReachedGateway notes that the agent has connected to Weft's own tools. It reports whether that is new.
func (l *List) ReachedGateway() bool {
	return l.connect(func(h *Handed) bool { return h.Via == settings.ViaGateway })
}

// Called notes which of the servers the agent has connected to, as it shows a call of one. It reports whether that is new.
func (l *List) Called(call *transcript.ToolCall) bool {
	return l.connect(func(h *Handed) bool { return h.Via != settings.ViaGateway && callview.FromServer(call, h.Name) })
}

// Shown notes which of the servers the agent has connected to, by a call as it reports it; open are those that have not ended. It reports whether that is
// new.
func (l *List) Shown(open toolcalls.Open, p *transcript.ToolPatch) bool {
	if !open.Names(p) || !l.Waits() {
		return false
	}
	call := open.With(p)
	c := transcript.ToolCall{Title: call.Title, Kind: call.Kind, Input: call.Input}
	if p.Name != nil {
		c.Name = *p.Name
	}
	return l.Called(&c)
}

func (l *List) connect(to func(*Handed) bool) (changed bool) {
	l.handed, changed = Connect(l.handed, to)
	return changed
}
