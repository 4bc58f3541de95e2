package runs

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/partialjson"
	"weft/backend/transcript"
)

// Names of the gateway's tools that this room knows.
const postTool = "sendSpaceMessage"

// gateCall is a call of one of the gateway's tools as the agent's own session shows it, until the same call has arrived at
// the gateway and has ended.
type gateCall struct {
	id, tool string
	nth      int                                 // of the run's, in the order in which the agent has shown them
	exact    bool                                // the agent has named it so that it can be no other tool
	called   string                              // its title as the agent has shown it, "" if it has none
	bare     func(jsontext.Value) jsontext.Value // see [GateTool]
	input    partialjson.Reader
	full     bool           // no more of it is read
	whole    jsontext.Value // as the agent told it last
	taken    bool           // it has arrived at the gateway
	acts     bool           // the tool does more than show something or write to spaces
	over     bool           // the agent has ended it
	display  bool           // it is drawn: what the agent tells of it from now on is not, also when the run has ended
	run      string         // of a display
	titled   bool           // its title says what became of it, better than the agent's
	ahead    bool           // it is of the model: the agent has not shown it yet
	title    string         // for its row when that comes; "" for the agent's
	early    *early         // of a tool that draws, until it has arrived; nil of others
	draw     jsontext.Value // see [GateTool]

	// Of a message to a space, as far as it was shown while it was written.
	space string
	held  []*transcript.Update // until that is known: a message to the own space is no row
	here  bool                 // it is to the own space, in which its text stands
	text  strings.Builder
	sent  int    // bytes of text
	first string // its id when it was first shown, where the agent gave it another one since
	as    Member
	to    *composite       // that has the latest of it, in another space
	in    *transcript.Fold // in the own space
}

// maxWritten is how much of an input is read while it is written, in bytes: the gateway takes no more.
const maxWritten = 4 << 20

// write reads a fragment of the input. What is broken or too long is refused by the gateway.
func (g *gateCall) write(fragment string) []partialjson.Change {
	if g.full = g.full || g.input.Len()+len(fragment) > maxWritten; g.full {
		return nil
	}
	changes, _ := g.input.Write(fragment)
	return changes
}

// GateTool is a tool of the gateway, as far as runs has to know it.
type GateTool struct {
	Name       string
	Visibility string // how its calls are drawn; "" in full
	Acts       bool   // the gateway asks for permission before it does something
	Draws      bool   // its calls can be drawn in a space
	// Draw is how they are drawn; nil where the component of the tool's own name does it.
	Draw jsontext.Value
	// Exact reports whether an agent calls it just as it calls a tool of Weft's server, and nothing else so.
	Exact bool
	// Takes reports whether it knows an argument; nil: it takes any.
	Takes func(argument string) bool
	// Bare returns its arguments without the one that says where it is shown; nil: it has none.
	Bare func(arguments jsontext.Value) jsontext.Value
}

// gated notes what an agent tells of its calls of the gateway, and answers the update as the conversation is to have it. The
// mutex is held.
func (l *link) gated(u *transcript.Update) *transcript.Update {
	p, now := u.Tool, false
	g := l.gate[p.ID]
	if g != nil && g.ahead { // the agent shows it now
		u, now = l.shownNow(g, u), true
		p = u.Tool
	} else if g == nil || p.Announced && (g.taken || g.over) && !l.isAgain(g, p) {
		delete(l.gate, p.ID)
		tool, ok := l.toolOfGate(p)
		if !ok {
			return l.unnamed(u)
		}
		u = named(seen(u, tool.Visibility), tool.Name)
		if p = u.Tool; l.s.run == nil || len(l.gate) >= maxCalls {
			return u
		}
		if l.gate == nil {
			l.gate = map[string]*gateCall{}
		}
		g = &gateCall{id: p.ID, tool: tool.Name, nth: l.nth(), exact: tool.Exact, whole: argumentsOf(p.Input), draw: tool.Draw, bare: tool.Bare, acts: tool.Acts}
		if tool.Draws && !tool.Acts {
			g.early = &early{}
		}
		l.gate[p.ID] = g
		l.arrived(g)
	} else if !g.exact {
		tool, ok := l.toolOfGate(p)
		g.exact = ok && tool.Exact && tool.Name == g.tool
	}
	if p.Title != nil {
		g.called = *p.Title
	}
	g.over = g.over || p.Status != nil && p.Status.Ended()
	if g.display {
		return nil // the display says what became of it
	}
	if g.tool == postTool {
		if u = l.postShown(g, u); u == nil {
			return nil
		}
	} else if !g.taken {
		g.write(p.InputDelta) // claim looks at it
		u = l.drawnEarly(g, u)
		p = u.Tool
	}
	if g.titled && p.Title != nil && !now {
		u = retold(u, func(p *transcript.ToolPatch) { p.Title = nil })
	}
	if p.Input != nil {
		g.whole = argumentsOf(p.Input)
	}
	return g.plain(g.kinded(u))
}

// kinded is an update with the kind of a call that has arrived at the gateway.
func (g *gateCall) kinded(u *transcript.Update) *transcript.Update {
	if !g.taken || u.Tool.Kind == nil {
		return u
	}
	kind := g.kindOf(*u.Tool.Kind)
	return retold(u, func(p *transcript.ToolPatch) { p.Kind = &kind })
}

// named is an update that also names the tool, where the agent does not.
func named(u *transcript.Update, tool string) *transcript.Update {
	if u.Tool.Name != nil && *u.Tool.Name != "" {
		return u
	}
	return retold(u, func(p *transcript.ToolPatch) { p.Name = &tool })
}

// plain is an update with the arguments as the tool gets them: without what agents put around them, and without where it is shown.
func (g *gateCall) plain(u *transcript.Update) *transcript.Update {
	if u.Tool.Input == nil {
		return u
	}
	return retold(u, func(p *transcript.ToolPatch) { p.Input = g.arguments(p.Input) })
}

func (g *gateCall) arguments(input jsontext.Value) jsontext.Value {
	if input = argumentsOf(input); g.bare != nil && len(input) > 0 {
		input = g.bare(input)
	}
	return input
}

// isAgain reports whether a call that is announced is a display that was announced before, as some agents do once they are
// permitted, and not another one with its id.
func (l *link) isAgain(g *gateCall, p *transcript.ToolPatch) bool {
	return g.display && l.s.run != nil && g.run == l.s.run.id && (len(p.Input) == 0 || sameJSON(g.whole, argumentsOf(p.Input)))
}

// draws reports whether a call of the agent is drawn as a display, which is not the agent's to change.
func (l *link) draws(call string) bool {
	g := l.gate[call]
	return g != nil && g.display
}

// forget is for the end of a run: what is known of its calls goes, but for which of them are displays. The mutex is held.
func (l *link) forget() {
	clear(l.vouched)
	clear(l.posed)
	clear(l.patches)
	l.lines = diffLines{}
	maps.DeleteFunc(l.gate, func(_ string, g *gateCall) bool { return !g.display })
	if len(l.gate) >= maxCalls/2 {
		clear(l.gate)
	}
	l.arrivals = nil
}

// seen is an update that also says how its call is drawn.
func seen(u *transcript.Update, visibility string) *transcript.Update {
	if visibility == "" {
		return u
	}
	return retold(u, func(p *transcript.ToolPatch) { p.Visibility = visibility })
}

// postShown is gated for a message to a space: the call is a row if it goes to another space, and not shown if it goes to the own
// one, where its text stands. Until that is known it waits. The mutex is held.
func (l *link) postShown(g *gateCall, u *transcript.Update) *transcript.Update {
	p := u.Tool
	if p.Input != nil {
		g.whole = argumentsOf(p.Input)
	}
	if !g.taken {
		l.written(g, p)
	}
	over := p.Status != nil && p.Status.Ended()
	if over && !g.taken && g.sent > 0 {
		l.unsent(g)
	}
	switch {
	case l.s.turns.Current().Knows(p.ID): // it is a row already: permission was asked, or it waited long enough
		return u
	case g.here && (!over || *p.Status == transcript.StatusCompleted || g.taken):
		g.held = nil
		return nil
	case g.space == "" && !over && len(g.held) < maxHeld:
		kept := *u // what u points to may be kept, u may not
		g.held = append(g.held, &kept)
		return nil
	}
	l.showHeld(g)
	return u
}

// part names the text that the call sends. It stays when the agent shows under an id of its own what was overheard.
func (g *gateCall) part() string { return cmp.Or(g.first, g.id) }

// unsent says behind what was shown of a message that its call has ended without sending it: the gateway refused it, or the agent
// has not made the call at all. The mutex is held.
func (l *link) unsent(g *gateCall) {
	const words = "What stands above was written, but not sent."
	g.sent, g.text = 0, strings.Builder{}
	if g.to != nil {
		g.to.add(step{do: func(_ *room, f *transcript.Fold) {
			f.EndText(g.part(), g.id, true)
			f.Note(words)
		}})
		return
	}
	g.in.EndText(g.part(), g.id, true)
	g.in.Note(words)
}

// showHeld makes a row of a call that has waited for it.
func (l *link) showHeld(g *gateCall) {
	held := g.held
	g.held = nil
	for _, u := range held {
		l.s.turns.Update(u, l.s.m.now())
	}
}

// maxHeld is how many updates of a call wait until it is known where it writes to.
const maxHeld = 1 << 14

// arrival is a call that came to the gateway before the agent's own session has shown it: the two come on different ways.
type arrival struct {
	tool  string
	sent  jsontext.Value
	drawn bool          // it stands in the own space already: the agent's own is not shown beside it if it still comes
	shown chan struct{} // closed when the agent's call is there
	call  *gateCall
}

// nth counts what the agent shows, for what came first. The mutex is held.
func (l *link) nth() int {
	l.counted++
	return l.counted
}

// arrived looks whether a call that the agent shows now has come already: with its arguments, or, as long as these are not known, any of the
// tool. The mutex is held.
func (l *link) arrived(g *gateCall) {
	found := -1
	for i, a := range l.arrivals {
		switch {
		case a.tool != g.tool:
		case sameJSON(g.whole, a.sent) || hasArguments(g.whole) && holds(g.whole, a.sent):
			l.arrives(i, g)
			return
		case found < 0 && (!hasArguments(g.whole) || like(g.whole, a.sent) > 0):
			found = i
		}
	}
	if found >= 0 {
		l.arrives(found, g)
	}
}

// arrives joins arrival i with the agent's call for it.
func (l *link) arrives(i int, g *gateCall) {
	a := l.arrivals[i]
	l.arrivals = slices.Delete(l.arrivals, i, i+1)
	g.taken, g.display = true, a.drawn
	if a.drawn && l.s.run != nil {
		g.run = l.s.run.id
	}
	a.call = g
	close(a.shown)
}

// unnamed looks whether a call that the agent names in no known way has come already, by its arguments. The mutex is held.
func (l *link) unnamed(u *transcript.Update) *transcript.Update {
	p := u.Tool
	if len(l.arrivals) == 0 || l.s.run == nil || len(l.gate) >= maxCalls || !hasArguments(p.Input) {
		return u
	}
	for i, a := range l.arrivals {
		if !hasArguments(a.sent) || !holds(p.Input, a.sent) {
			continue
		}
		t, _ := l.s.m.opt.GateTool(gatewayPrefix + a.tool)
		g := &gateCall{id: p.ID, tool: a.tool, nth: l.nth(), whole: a.sent, draw: t.Draw, bare: t.Bare, acts: t.Acts}
		if l.gate == nil {
			l.gate = map[string]*gateCall{}
		}
		l.gate[p.ID] = g
		l.arrives(i, g)
		switch {
		case !g.display:
			return g.plain(g.kinded(seen(named(u, g.tool), t.Visibility)))
		case l.s.turns.Current().Knows(p.ID): // it was shown before anything was known of it
			return seen(u, transcript.VisibilityHidden)
		}
		return nil
	}
	return u
}

// written shows what an agent writes to another space while it writes it. Until the space is known, the text waits.
func (l *link) written(g *gateCall, p *transcript.ToolPatch) {
	if p.InputDelta != "" {
		changes := g.write(p.InputDelta)
		for _, ch := range changes {
			if ch.Kind == partialjson.Text && ch.Field == "text" && ch.Path == "" {
				g.text.WriteString(ch.Text)
			}
			if ch.Kind == partialjson.Complete && ch.Field == "spaceId" {
				g.space = g.input.Text("spaceId")
			}
		}
	} else if p.Input != nil {
		var in struct{ SpaceID, Text string }
		if json.Unmarshal(g.whole, &in, json.MatchCaseInsensitiveNames(true)) != nil {
			return
		}
		g.space = in.SpaceID
		if rest, ok := strings.CutPrefix(in.Text, g.text.String()); ok {
			g.text.WriteString(rest)
		}
	}
	g.here = g.space == l.s.space.ID
	if g.space == "" || g.text.Len() == g.sent || g.here && g.ahead || l.s.run == nil {
		return
	}
	rest := g.text.String()[g.sent:]
	if g.here {
		g.in = l.s.part(l.s.run)
		g.in.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: rest, MessageID: g.part(), Apart: true, Via: g.id}, l.s.m.now())
		g.sent = g.text.Len()
		return
	}
	if g.as.ID == "" {
		as, err := l.s.m.memberOf(context.Background(), l.s, g.space)
		if err != nil {
			g.space = ""
			return
		}
		g.as = as
	}
	g.to = l.s.run.in(l.s, g.space, g.as) // another one after a mention
	g.to.add(step{text: rest, part: g.part(), call: g.id})
	g.sent = g.text.Len()
}

// claim finds the agent's own call for one that has arrived at the gateway: one with these arguments, first among those that are known as calls of
// the tool; else the first of these whose arguments are not known yet, or were not told whole. The mutex is held.
func (l *link) claim(tool string, sent []byte) *gateCall {
	found, better := l.best(tool, func(g *gateCall) int {
		switch {
		case sameJSON(g.whole, sent):
			return 5
		case hasArguments(g.whole):
			if holds(g.whole, sent) {
				return 4
			}
			return 0
		case !g.input.Done():
			return 2
		case sameJSON(jsontext.Value(g.input.Object()), sent):
			return 3
		}
		return 1
	})
	if better < 4 && hasArguments(sent) {
		if g := l.claimUnnamed(tool, func(c *openCall) bool { return holds(c.Input, sent) }); g != nil {
			return g
		}
	}
	l.take(found)
	return found
}

// take notes that a call has arrived at the gateway, so that it is certain which tool it is of: it is no command, whatever kind the agent gives it,
// and one of Weft's own neither reads nor writes.
func (l *link) take(g *gateCall) {
	if g == nil {
		return
	}
	g.taken = true
	c := l.calls[g.id]
	if c == nil {
		return
	}
	if kind := g.kindOf(c.Kind); kind != c.Kind {
		l.s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: g.id, Kind: &kind}}, l.s.m.now())
	}
}

// kindOf is the kind of a call that is known to be one of the tool's, where the agent has told kind.
func (g *gateCall) kindOf(kind string) string {
	if kind == "execute" || kind != "" && !g.acts {
		return "other"
	}
	return kind
}

// best is the call of a tool that nobody has claimed and that fits best, the oldest of several; nil where none fits (0).
func (l *link) best(tool string, fit func(*gateCall) int) (found *gateCall, better int) {
	for _, g := range l.gate {
		if g.tool != tool || g.taken || g.over {
			continue
		}
		if fits := fit(g); fits > better || fits == better && fits > 0 && g.nth < found.nth {
			found, better = g, fits
		}
	}
	return found, better
}

// claimLate is claim for a call that the agent has not shown in the meantime as it was sent: it shows another form of its arguments, or none, so
// that the time says which it is. The mutex is held.
func (l *link) claimLate(tool string, sent []byte) *gateCall {
	found, _ := l.best(tool, func(g *gateCall) int { return like(g.whole, sent) })
	if found != nil {
		l.take(found)
		return found
	}
	if len(l.calls) != 1 { // nobody knows which
		return nil
	}
	return l.claimUnnamed(tool, func(c *openCall) bool {
		return !hasArguments(c.Input) && !c.Long && (c.Kind == "" || c.Kind == "other") && len(c.Paths)+len(c.Diffs) == 0
	})
}

// claimUnnamed takes the first open call of the agent that fits and is not known as one of the gateway's.
func (l *link) claimUnnamed(tool string, fits func(*openCall) bool) *gateCall {
	var id string
	var first *openCall
	for other, c := range l.calls {
		if l.gate[other] == nil && (first == nil || c.nth < first.nth) && fits(c) {
			id, first = other, c
		}
	}
	if first == nil || len(l.gate) >= maxCalls {
		return nil
	}
	if l.gate == nil {
		l.gate = map[string]*gateCall{}
	}
	t, _ := l.s.m.opt.GateTool(gatewayPrefix + tool)
	g := &gateCall{id: id, tool: tool, nth: l.nth(), called: first.Title, whole: first.Input, draw: t.Draw, bare: t.Bare, acts: t.Acts}
	l.gate[id] = g
	told := transcript.ToolPatch{ID: id, Visibility: t.Visibility}
	if !first.named {
		told.Name = &tool
	}
	if input := g.arguments(first.Input); !bytes.Equal(input, first.Input) {
		told.Input = input
	}
	if told.Visibility != "" || told.Name != nil || told.Input != nil {
		l.s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &told}, l.s.m.now())
	}
	l.take(g)
	return g
}

// expect notes a call that the agent's own session has not shown yet; nil if there are too many. The mutex is held.
func (l *link) expect(tool string, sent jsontext.Value) *arrival {
	if len(l.arrivals) >= maxCalls {
		return nil
	}
	a := &arrival{tool: tool, sent: sent, shown: make(chan struct{})}
	l.arrivals = append(l.arrivals, a)
	return a
}

// Pass notes a call that has arrived at the gateway and is neither shown nor asked about, as it is silent, only reads spaces, or is refused: a later
// call of the tool is not to be taken for it. Messages to spaces are told apart by what was written of them.
func (m *Manager) Pass(from Seat, tool string, sent jsontext.Value) {
	s, _, err := m.runIn(from)
	if err != nil || tool == postTool {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.link
	if l == nil {
		return
	}
	if g := l.claim(tool, sent); g != nil {
		s.undraw(g)
		s.flush()
	} else {
		l.expect(tool, sent)
	}
}

// announcement is how long a call that has arrived at the gateway waits to be shown in the agent's own session, so that it stands
// where the agent has it.
const announcement = 300 * time.Millisecond

// claimed is claim, which waits a moment for the agent to show its call; late is the arrival of one that it has not shown by then. The
// mutex is held, but not while it waits.
func (s *Session) claimed(ctx context.Context, tool string, sent jsontext.Value) (g *gateCall, late *arrival) {
	l := s.link
	if l == nil {
		return nil, nil
	}
	if g := l.claim(tool, sent); g != nil {
		return g, nil
	}
	a := l.expect(tool, sent)
	if a == nil {
		return nil, nil
	}
	s.mu.Unlock()
	wait := time.NewTimer(announcement)
	defer wait.Stop()
	select {
	case <-a.shown:
	case <-wait.C:
	case <-ctx.Done():
	}
	s.mu.Lock()
	if a.call != nil {
		return a.call, nil
	}
	if i := slices.Index(l.arrivals, a); i >= 0 && s.link == l {
		if g := l.claimLate(tool, sent); g != nil {
			l.arrivals = slices.Delete(l.arrivals, i, i+1)
			return g, nil
		}
	}
	return nil, a
}

func sameJSON(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := append(jsontext.Value(nil), a...), append(jsontext.Value(nil), b...)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

// memberOf answers as which member of a space the agent of a session may write there: one that is the same agent, of the same name if
// there are several. It blocks for a read. Errors: *Error (no_space, not_member).
func (m *Manager) memberOf(ctx context.Context, s *Session, spaceID string) (Member, error) {
	space, err := m.opt.Space(ctx, spaceID)
	if err != nil {
		return Member{}, &Error{Code: "no_space", Message: "There is no space " + spaceID + ". listSpaces tells those that there are."}
	}
	var found Member
	for _, member := range space.Members {
		if member.AgentID == s.space.AgentID && (found.ID == "" || strings.EqualFold(member.Name, s.member.Name)) {
			found = member
		}
	}
	if found.ID == "" {
		return found, &Error{Code: "not_member", Message: "You are not a member of the space " + spaceID + ". listSpaces tells those that you are a member of."}
	}
	return found, nil
}

// Arguments are the arguments of a call, without the names of server and tool that some agents put around them.
func Arguments(input jsontext.Value) jsontext.Value { return argumentsOf(input) }
