package runs

import (
	"slices"

	"weft/backend/callview"
	"weft/backend/settings"
	"weft/backend/transcript"
)

// seesServer notes which of the servers that the agent was offered it uses, by a call as it tells of it. The lock is held.
func (l *link) seesServer(p *transcript.ToolPatch) {
	if !l.names(p) || !slices.ContainsFunc(l.handed, func(h Handed) bool { return h.Handed && !h.Connected }) {
		return
	}
	call := l.calls.With(p)
	c := transcript.ToolCall{Title: call.Title, Kind: call.Kind, Input: call.Input}
	if p.Name != nil {
		c.Name = *p.Name
	}
	l.connects(func(h *Handed) bool { return h.Via != settings.ViaGateway && callview.FromServer(&c, h.Name) })
}

// names reports whether an update tells something new of which tool its call is of. Most only make the arguments longer.
func (l *link) names(p *transcript.ToolPatch) bool {
	known := l.calls[p.ID]
	if known == nil || p.Announced {
		return true
	}
	return p.Title != nil && *p.Title != known.Title || p.Name != nil && !known.Named || p.Input != nil && (len(known.Input) == 0 || emptyObject(known.Input))
}

// connects notes that the agent has connected to servers that it was offered. The lock is held.
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
