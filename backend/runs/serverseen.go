package runs

import (
	"slices"

	"weft/backend/callview"
	"weft/backend/settings"
	"weft/backend/transcript"
)

// seesServer notes which of the servers that the agent was offered it uses, by a call as it tells of it. The mutex is held.
func (l *link) seesServer(p *transcript.ToolPatch) {
	if p.Title == nil && p.Name == nil && p.Input == nil || !slices.ContainsFunc(l.handed, func(h Handed) bool { return h.Handed && !h.Connected }) {
		return
	}
	c := transcript.ToolCall{Input: p.Input}
	if known := l.calls[p.ID]; known != nil {
		c.Title, c.Kind = known.Title, known.Kind
	}
	for to, told := range map[*string]*string{&c.Title: p.Title, &c.Name: p.Name, &c.Kind: p.Kind} {
		if told != nil {
			*to = *told
		}
	}
	l.connects(func(h *Handed) bool { return h.Via != settings.ViaGateway && callview.FromServer(&c, h.Name) })
}

// connects notes that the agent has connected to servers that it was offered. The mutex is held.
func (l *link) connects(to func(*Handed) bool) {
	now := slices.Clone(l.handed) // what was told of it stays
	news := false
	for i := range now {
		if h := &now[i]; h.Handed && !h.Connected && to(h) {
			h.Connected, news = true, true
		}
	}
	if news {
		l.handed = now
		l.s.offerChanged(l)
	}
}
