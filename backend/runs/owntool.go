package runs

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission"
	"weft/backend/settings"
	"weft/backend/store"
	"weft/backend/transcript"
)

// ownCalls is what a session's agent has done with the tools of the gateway. An agent asks for permission before a call arrives there, and names the
// tool itself, so that a name proves nothing: it counts only from an agent that has reached the gateway with its session's token, and only as long
// as each call that was allowed by its name has arrived (decision 0017).
type ownCalls struct {
	reached bool              // the agent has listed or called the tools with the token
	doubted bool              // a call has not arrived: names don't count any more
	came    map[string]int    // calls that have arrived, by tool
	allowed map[string]string // calls that were allowed by name, the tools by the ids of the calls
}

// allowsOwn allows a request for one of Weft's own tools without asking the user, and reports whether it was one. Such a tool changes nothing, or
// asks the user itself when its call arrives. The mutex is held.
func (l *link) allowsOwn(a *ask, p *transcript.ToolPatch, tool GateTool) bool {
	s := l.s
	if s.run == nil || s.run.stopping || !l.own.reached || l.own.doubted {
		return false
	}
	r, ok := a.answered(permission.Allow, &transcript.By{Who: "own", Effect: string(permission.Allow)})
	bare := permission.Describe(&permission.Call{Kind: "other", Title: tool.Name}, s.place())
	if d := s.m.opt.Rules().Decide(bare, permission.AskAlways); !ok || d.Verdict == permission.Rejected {
		return false
	}
	l.update(&transcript.Update{Kind: transcript.UpdateTool, Tool: l.asCalled(p, tool)}) // some show a call only so
	if l.own.allowed == nil {
		l.own.allowed = map[string]string{}
	}
	if len(l.own.allowed) < maxCalls {
		l.own.allowed[p.ID] = tool.Name
	}
	a.call.Title = tool.Name
	s.noteDecision(a, r)
	s.flush()
	a.tell(a.outcome(r))
	return true
}

// asCalled is a call as a request for it shows it, without what is said there about the request and not about the call: some agents give it
// another title ("Approve MCP tool call") and kind, and tell its arguments in another form. The mutex is held.
func (l *link) asCalled(p *transcript.ToolPatch, tool GateTool) *transcript.ToolPatch {
	told := *p
	g := l.gate[p.ID]
	told.Announced = g == nil
	if g == nil {
		return &told
	}
	told.Title, told.Kind, told.Content, told.Status = nil, nil, nil, nil
	if args := argumentsOf(p.Input); hasArguments(g.whole) || tool.refuses(args) {
		told.Input = nil
	}
	return &told
}

// refuses reports whether these are not the arguments of a call of the tool.
func (t *GateTool) refuses(args jsontext.Value) bool {
	_, ok := t.arguments(args)
	return !ok
}

// requested is the tool of the gateway that a request is for, if all of it says so: what it calls the tool, or the call that it names and that was
// shown before, and its arguments. The mutex is held.
func (l *link) requested(a *ask, p *transcript.ToolPatch, shown []fileChange) (GateTool, bool) {
	g := l.gate[p.ID]
	named := transcript.ToolPatch{ID: p.ID, Name: p.Name, Title: p.Title, Input: p.Input}
	if p.Name != nil && *p.Name != "" {
		named.Title = nil // words may stand there
	}
	tool, known := l.toolOfGate(&named)
	itself := known && tool.Exact // the request names the tool itself
	if g != nil && g.exact && !itself {
		if tool, known = l.s.m.opt.GateTool(gatewayPrefix + g.tool); !known || !tool.Exact {
			return tool, false
		}
	} else if !itself || g != nil && g.exact && g.tool != tool.Name {
		return tool, false
	}
	args, ok := l.requestedArguments(a, p, g, &tool)
	if !ok || !itself && !l.sameTitle(p, g, &tool, args) {
		return tool, false
	}
	if kind := p.Kind; kind != nil && acts(*kind) && len(args) == 0 && !l.namesTool(p, g) {
		return tool, false // nothing but its title tells that from a command
	}
	if !sameFiles(p, shown, strings.TrimSpace(args["path"])) {
		return tool, false
	}
	return tool, true
}

// requestedArguments are the arguments of the call that is asked about, if they are known and the request tells no others.
func (l *link) requestedArguments(a *ask, p *transcript.ToolPatch, g *gateCall, tool *GateTool) (args map[string]string, ok bool) {
	input := p.Input
	switch {
	case input == nil && g != nil:
		input = g.whole
	case input != nil && g != nil && hasArguments(g.whole) && !sameJSON(argumentsOf(input), g.whole):
		// The request tells more than the arguments: if that runs or writes something, it is another call.
		if !holds(input, g.whole) || a.does() {
			return nil, false
		}
		input = g.whole
	case input != nil && g != nil && g.exact && tool.refuses(argumentsOf(input)):
		if !namesServer(input, maxWrapping) || a.does() {
			return nil, false
		}
		input = nil
	}
	if call := l.calls[p.ID]; input == nil && g == nil && call != nil {
		input = call.Input
	}
	return tool.arguments(input)
}

// does reports whether what is asked about runs or writes something, as the broker reads it.
func (a *ask) does() bool {
	return a.about.Line != "" || len(a.about.Commands) > 0 || len(a.about.Writes) > 0
}

// sameTitle reports whether the words of a request are about the call that was shown as one of the tool, and not about another one.
func (l *link) sameTitle(p *transcript.ToolPatch, g *gateCall, tool *GateTool, args map[string]string) bool {
	for _, as := range []*string{p.Name, p.Title} {
		if as == nil {
			continue
		}
		said := strings.TrimSpace(*as)
		if said == "" || said == strings.TrimSpace(g.called) || said == tool.Name || saysArguments(said, g, p) {
			continue
		}
		if t, ok := l.s.m.opt.GateTool(said); ok && t.Exact && t.Name == tool.Name {
			continue
		}
		// Words such as "Approve MCP tool call", where they can't be a command, nor the name of another tool.
		words := as == p.Title && strings.ContainsRune(said, ' ') && !strings.Contains(said, tool.Name) && !strings.ContainsAny(said, "/\\|;&<>$`(){}[]=:")
		if !words || p.Kind != nil && acts(*p.Kind) || len(args) == 0 && !namesServer(p.Input, maxWrapping) {
			return false
		}
	}
	return true
}

// saysArguments reports whether a title is the JSON of the call's arguments, or the beginning of it.
func saysArguments(said string, g *gateCall, p *transcript.ToolPatch) bool {
	if !strings.HasPrefix(said, "{") {
		return false
	}
	short := strings.TrimRight(said, ".…")
	for _, args := range []jsontext.Value{g.whole, argumentsOf(p.Input)} {
		if sameJSON(jsontext.Value(said), args) {
			return true
		}
		compact := append(jsontext.Value(nil), args...)
		if len(args) > 0 && compact.Compact() == nil && strings.HasPrefix(string(compact), short) && len(short) > len("{") {
			return true
		}
	}
	return false
}

// namesTool reports whether more than a title says which tool is called: its name, the names around its arguments, or a title that was no path.
func (l *link) namesTool(p *transcript.ToolPatch, g *gateCall) bool {
	if p.Name != nil && *p.Name != "" {
		return true
	}
	if _, ok := unwrap(p.Input); ok {
		return true
	}
	return g != nil && g.exact && !strings.ContainsRune(g.called, '/')
}

// sameFiles reports whether a request shows nothing but the file that the arguments of the call name, and runs nothing.
func sameFiles(p *transcript.ToolPatch, shown []fileChange, path string) bool {
	for _, c := range shown {
		if c.path != path {
			return false
		}
	}
	if p.Locations != nil {
		for _, at := range *p.Locations {
			if at.Path != path && !strings.HasSuffix(at.Path, "/"+path) {
				return false
			}
		}
	}
	if p.Content != nil {
		for i := range *p.Content {
			if (*p.Content)[i].Type == "terminal" {
				return false
			}
		}
	}
	return true
}

func acts(kind string) bool {
	return kind == "execute" || kind == "edit" || kind == "delete" || kind == "move"
}

// arguments are those of a call, texts as they are and others as "". It is not ok if the tool does not know one.
func (t *GateTool) arguments(input jsontext.Value) (args map[string]string, ok bool) {
	if len(input) == 0 || input.Kind() == 'n' {
		return nil, true
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(argumentsOf(input), &members) != nil {
		return nil, false
	}
	args = map[string]string{}
	for name, value := range members {
		if t.Takes != nil && !t.Takes(name) {
			return nil, false
		}
		text := ""
		_ = json.Unmarshal(value, &text) // or it is none
		args[name] = text
	}
	return args, true
}

// Reached notes that the agent of a session has reached the gateway with its token, with a call of a tool unless that is "".
func (m *Manager) Reached(from Seat, tool string) {
	s := m.known(from.SpaceID, from.MemberID)
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.link; l != nil {
		l.own.reached = true
		l.connects(func(h *Handed) bool { return h.Via == settings.ViaGateway })
		if tool != "" {
			s.notesWork(nil)
			if l.own.came == nil {
				l.own.came = map[string]int{}
			}
			l.own.came[tool]++
		}
	}
}

// ownEnded looks whether a call that was allowed by its name has arrived when the agent says that it is completed. The mutex is held.
func (l *link) ownEnded(p *transcript.ToolPatch) {
	tool := l.own.allowed[p.ID]
	if tool == "" || p.Status == nil || !p.Status.Ended() {
		return
	}
	delete(l.own.allowed, p.ID)
	if *p.Status != transcript.StatusCompleted {
		return
	}
	if l.own.came[tool] > 0 {
		l.own.came[tool]--
		return
	}
	if l.own.doubted {
		return
	}
	l.own.doubted = true
	s := l.s
	l.note(l.config.Name + " got permission for Weft's tool " + tool + ", but no such call reached Weft: it called something else. It is asked about each such call from now on.")
	s.decisions = append(s.decisions, store.Decision{
		At: s.m.now(), SpaceID: s.space.ID, AgentID: s.space.AgentID, AgentName: s.turns.Agent.Name, Kind: "other", Title: tool, About: tool, Outcome: "lost", By: "own",
	})
	s.flush()
}
