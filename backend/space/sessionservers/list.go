package sessionservers

import (
	"slices"

	"weft/backend/conversation/callview"
	"weft/backend/conversation/transcript"
	"weft/backend/settings"
	"weft/backend/space/toolcalls"
)

// List has the outcome for each MCP server of a session. The zero value is empty. It is not safe for concurrent use.
type List struct{ handed []Handed }

// Set replaces the list.
func (l *List) Set(handed []Handed) { l.handed = handed }

// Refuse records that the agent rejected the servers that it was offered, and returns their names.
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

// All returns the list. Callers may keep it: later changes are made to a copy.
func (l *List) All() []Handed { return l.handed }

// Waits reports whether the agent hasn't connected yet to a server that it was offered.
func (l *List) Waits() bool { return Waits(l.handed) }

// ReachedGateway records that the agent has connected to Weft's own tools, and reports whether that is new.
func (l *List) ReachedGateway() bool {
	return l.connect(func(h *Handed) bool { return h.Via == settings.ViaGateway })
}

// Called records that the agent has connected to a server, because it shows a call of one of its tools. It reports
// whether that is new.
func (l *List) Called(call *transcript.ToolCall) bool {
	return l.connect(func(h *Handed) bool { return h.Via != settings.ViaGateway && callview.FromServer(call, h.Name) })
}

// Shown is Called for an update of a call. open has the calls that haven't ended.
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
