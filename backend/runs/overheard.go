package runs

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/gatecalls"
	"weft/backend/modelproxy"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
	"weft/backend/usage"
)

// overheard is a tool call as the model wrote it, which the model proxy has read along. The agent shows the same call in its own
// words, mostly later: the two are put together by the provider's id of the call, else by tool and input.
type overheard struct {
	key  callKey
	id   string // the provider's
	name string // as the model knows the tool
	tool string // the gateway's tool that it is, "" of others

	raw    strings.Builder // the input until now
	given  int             // bytes of it that were passed on
	missed int             // of these, what the agent's call has not got: they came before it
	over   bool            // the input is complete, or will never be
	broken bool            // it never will
	call   string          // the agent's, "" while it is not known
	last   jsontext.Value  // input that the agent has told meanwhile, and that is shorter
	ended  bool            // the agent has ended it
	ahead  *gateCall       // a message to another space that is shown before the agent has shown the call
}

type callKey struct {
	request uint64
	call    int
}

// overhearing is what a link knows of its model's calls in the run that is in progress.
type overhearing struct {
	calls  map[callKey]*overheard
	byCall map[string]*overheard // by the agent's id
	used   usage.Measured
}

// Overhear implements [agentproc.Session].
func (l *link) Overhear(e modelproxy.Event) {
	if l.dropped.Load() {
		return
	}
	l.put(func() {
		if l.s.link == l {
			l.overhear(e)
		}
	})
}

// overhear is called with the session's mutex.
func (l *link) overhear(e modelproxy.Event) {
	if e.Call == 0 {
		l.heardOf.used.Add(e)
		return
	}
	if l.s.run == nil {
		return
	}
	key := callKey{e.Request, e.Call}
	o := l.heardOf.calls[key]
	if o == nil {
		if e.Ended || len(l.heardOf.calls) >= toolcalls.MaxCalls {
			return
		}
		o = &overheard{key: key, name: e.Name}
		if l.heardOf.calls == nil {
			l.heardOf.calls, l.heardOf.byCall = map[callKey]*overheard{}, map[string]*overheard{}
		}
		l.heardOf.calls[key] = o
		if t, ok := l.s.m.opt.GateTool.Of(&transcript.ToolPatch{Name: &o.name}); ok {
			o.tool = t.Name
		}
	}
	if e.ID != "" && o.id == "" {
		o.id = e.ID
		if known := l.calls[o.id] != nil || l.gate.Get(o.id) != nil; known && l.heardOf.byCall[o.id] == nil {
			l.join(o, o.id)
		}
	}
	if o.raw.Len()+len(e.Fragment) <= gatecalls.MaxInput {
		o.raw.WriteString(e.Fragment)
	} else {
		o.over, o.broken = true, true
	}
	o.over, o.broken = o.over || e.Ended, o.broken || e.Broken
	l.give(o)
}

// give passes on what there is of a call's input that was not passed on.
func (l *link) give(o *overheard) {
	rest := o.raw.String()[o.given:]
	switch {
	case o.call != "":
		if o.missed > 0 && l.s.turns.Current().Knows(o.call) && !o.ended {
			l.s.turns.Update(inputDelta(o.call, o.raw.String()[:o.missed]), l.s.m.now())
		}
		o.missed = 0
		if rest != "" && !o.ended {
			o.given = o.raw.Len()
			l.fragment(o, rest)
		}
	case o.tool == postTool:
		o.given, o.missed = o.raw.Len(), o.raw.Len()
		l.ahead(o, rest)
	}
}

// fragment shows a fragment of the input of a call that the agent has shown.
func (l *link) fragment(o *overheard, rest string) {
	u := l.gated(inputDelta(o.call, rest))
	if u == nil {
		return
	}
	l.s.turns.Update(u, l.s.m.now())
}

func inputDelta(call, fragment string) *transcript.Update {
	return &transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: call, InputDelta: fragment}}
}

// ahead shows a message to another space while the model writes it, before the agent has shown the call. One to the own space waits for
// that: what the agent has said before may still be on its way.
func (l *link) ahead(o *overheard, rest string) {
	g := o.ahead
	if g == nil {
		id := o.id
		if id == "" || l.gate.Get(id) != nil {
			id = l.s.newID("call")
		}
		if g = l.gate.Ahead(id, postTool); g == nil {
			return
		}
		o.ahead = g
	}
	if rest != "" && !g.Taken {
		l.written(g, &transcript.ToolPatch{ID: g.ID, InputDelta: rest}, g.Write(rest))
	}
	if o.over && !o.broken { // the gateway's call is known by it
		g.Whole = jsontext.Value(o.raw.String())
	}
	if o.broken && g.Kept.sent > 0 && !g.Taken { // the agent can't make the call
		g.Over = true
		l.unsent(g)
	}
}

// join puts what was overheard and the agent's call together.
func (l *link) join(o *overheard, call string) {
	o.call = call
	l.heardOf.byCall[call] = o
}

// told looks up what an agent says of a call among what was overheard, and returns it as the conversation is to have it: an input that is
// only a part of what the model has written already is left out. then is called when the update is folded. The lock is held.
func (l *link) told(u *transcript.Update) (_ *transcript.Update, then func()) {
	p := u.Tool
	o := l.heardCall(p, p.Announced)
	if o == nil {
		return u, func() {}
	}
	o.ended = o.ended || p.Status != nil && p.Status.Ended()
	moves := p.Status != nil && *p.Status != transcript.StatusPending
	switch {
	case moves || p.Announced && len(p.Input) == 0:
		if p.Input == nil && o.last != nil {
			u = withInput(u, o.last)
		}
		o.last = nil
	case len(p.Input) > 0 && (!o.over || len(p.Input) < o.raw.Len()) && !o.broken:
		if o.last = p.Input; emptyObject(p.Input) {
			o.last = nil
		}
		u = withInput(u, nil)
	case len(p.Input) > 0:
		o.last = nil
	}
	if moves && len(p.Input) > 0 {
		o.given, o.missed = o.raw.Len(), 0 // it is told whole
	}
	return u, func() { l.give(o) }
}

// toldAsked is told for a permission request, in which some agents show a call for the first time.
func (l *link) toldAsked(p *transcript.ToolPatch) {
	if o := l.heardCall(p, true); o != nil && len(p.Input) > 0 {
		o.given, o.missed, o.last = o.raw.Len(), 0, nil // it is told whole
	}
}

// heardCall is what was overheard of an agent's call, nil if nothing was. shows says that the agent may show it for the first time.
func (l *link) heardCall(p *transcript.ToolPatch, shows bool) *overheard {
	if o := l.heardOf.byCall[p.ID]; o != nil || len(l.heardOf.calls) == 0 {
		return o
	}
	o := l.match(p, shows)
	if o == nil {
		return nil
	}
	if g := o.ahead; g != nil {
		l.gate.Rename(g, p.ID)
	}
	l.join(o, p.ID)
	return o
}

func emptyObject(input jsontext.Value) bool { return bytes.Equal(bytes.TrimSpace(input), []byte("{}")) }

// withWhole is what an agent said of a call, with the whole of its input.
func withWhole(p *transcript.ToolPatch, input jsontext.Value) *transcript.ToolPatch {
	if p.Input != nil || input == nil {
		return p
	}
	told := *p
	told.Input = input
	return &told
}

func withInput(u *transcript.Update, input jsontext.Value) *transcript.Update {
	return retold(u, func(p *transcript.ToolPatch) { p.Input = input })
}

// match finds what was overheard of a call that the agent shows for the first time: by the provider's id, which some agents put into an id of
// their own, else by tool and input, the oldest first.
func (l *link) match(p *transcript.ToolPatch, shows bool) *overheard {
	var found *overheard
	better := 0
	for _, o := range l.heardOf.calls {
		if o.call != "" {
			continue
		}
		fits := 0
		switch {
		case o.id != "" && o.id == p.ID:
			fits = 4
		case len(o.id) >= 8 && strings.Contains(p.ID, o.id):
			fits = 3
		case !shows || !l.sameTool(o, p):
		case len(p.Input) == 0 || emptyObject(p.Input):
			fits = 1
		case o.over && gatecalls.SameJSON(gatecalls.Arguments(p.Input), jsontext.Value(o.raw.String())):
			fits = 2
		}
		if fits > better || fits == better && fits > 0 && o.key.before(found.key) {
			found, better = o, fits
		}
	}
	return found
}

func (k callKey) before(o callKey) bool {
	return k.request < o.request || k.request == o.request && k.call < o.call
}

// sameTool reports whether an agent's call is of the tool that the model has called.
func (l *link) sameTool(o *overheard, p *transcript.ToolPatch) bool {
	if o.tool != "" {
		t, ok := l.s.m.opt.GateTool.Of(p)
		return ok && t.Name == o.tool
	}
	return p.Name != nil && *p.Name == o.name || p.Title != nil && *p.Title == o.name
}

// unheard is for the end of a run: messages that were shown ahead and never sent are said to be that. The lock is held.
func (l *link) unheard() {
	for _, o := range l.heardOf.calls {
		if g := o.ahead; g != nil && g.Kept.sent > 0 && !g.Taken {
			l.unsent(g)
		}
	}
	clear(l.heardOf.calls)
	clear(l.heardOf.byCall)
}
