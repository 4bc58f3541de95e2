package runs

import (
	"weft/backend/modelcalls"
	"weft/backend/modelproxy"
	"weft/backend/transcript"
)

// Overhear implements [agentproc.Session].
func (l *link) Overhear(e modelproxy.Event) {
	if l.dropped.Load() {
		return
	}
	l.put(func() {
		switch {
		case l.s.link != l:
		case e.Call == 0:
			l.measured.Add(e)
		case l.s.run != nil:
			l.showWritten(l.modelCalls.Read(e, func(id string) bool { return l.calls[id] != nil || l.gate.Get(id) != nil }))
		}
	})
}

// showWritten shows what the model has written of its calls. The lock is held.
func (l *link) showWritten(list []modelcalls.Change) {
	for i := range list {
		c := &list[i]
		switch c.Kind {
		case modelcalls.Fragment:
			if u := l.gated(c.Update()); u != nil {
				l.s.turns.Update(u, l.s.m.now())
			}
		case modelcalls.Missed:
			if l.s.turns.Current().Knows(c.ID) {
				l.s.turns.Update(c.Update(), l.s.m.now())
			}
		case modelcalls.Ahead:
			l.showAhead(c)
		}
	}
}

// showAhead shows a message to another space while the model writes it, before the agent has shown the call. One to the own space waits for
// that: what the agent has said before may still be on its way.
func (l *link) showAhead(c *modelcalls.Change) {
	g := l.ahead[c.Key]
	if g == nil {
		id := c.Provider
		if id == "" || l.gate.Get(id) != nil {
			id = l.s.newID("call")
		}
		if g = l.gate.Ahead(id, postTool); g == nil {
			return
		}
		l.ahead[c.Key] = g
	}
	if c.Text != "" && !g.Taken {
		l.written(g, &transcript.ToolPatch{ID: g.ID, InputDelta: c.Text}, g.Write(c.Text))
	}
	if c.Whole != nil { // the gateway's call is known by it
		g.Whole = c.Whole
	}
	if c.Broken && g.Kept.sent > 0 && !g.Taken { // the agent can't make the call
		g.Over = true
		l.unsent(g)
	}
}

// caught gives a call that was shown ahead the id under which the agent shows it. The lock is held.
func (l *link) caught(key *modelcalls.Key, id string) {
	if key == nil {
		return
	}
	if g := l.ahead[*key]; g != nil {
		l.gate.Rename(g, id)
	}
}

// endModelCalls is for the end of a run: messages that were shown ahead and never sent are said to be that. The lock is held.
func (l *link) endModelCalls() {
	for _, g := range l.ahead {
		if g.Kept.sent > 0 && !g.Taken {
			l.unsent(g)
		}
	}
	clear(l.ahead)
	l.modelCalls.Forget()
}
