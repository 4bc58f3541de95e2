package runs

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission"
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
func (l *link) allowsOwn(a *ask, p *transcript.ToolPatch, shown []fileChange) bool {
	s := l.s
	tool, ok := l.ownTool(p, shown)
	if !ok {
		return false
	}
	r, ok := a.answered(permission.Allow, &transcript.By{Who: "own", Effect: string(permission.Allow)})
	bare := permission.Describe(&permission.Call{Kind: "other", Title: tool.Name}, s.place())
	if d := s.m.opt.Rules().Decide(bare, permission.AskAlways); !ok || d.Verdict == permission.Rejected {
		return false
	}
	p.Announced = true
	l.update(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}) // some show a call only so
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

// ownTool is the tool of the gateway that a request is for, if all of it says so.
func (l *link) ownTool(p *transcript.ToolPatch, shown []fileChange) (GateTool, bool) {
	if l.s.run == nil || l.s.run.stopping || !l.own.reached || l.own.doubted {
		return GateTool{}, false
	}
	named := transcript.ToolPatch{ID: p.ID, Name: p.Name, Title: p.Title}
	if p.Name != nil && *p.Name != "" {
		named.Title = nil // words may stand there
	}
	tool, ok := l.toolOfGate(&named)
	if !ok || !tool.Exact {
		return tool, false
	}
	input := p.Input
	if g := l.gate[p.ID]; input == nil && g != nil {
		input = g.whole
	}
	if call := l.calls[p.ID]; input == nil && call != nil {
		input = call.Input
	}
	args, ok := tool.arguments(input)
	if !ok {
		return tool, false
	}
	if kind := p.Kind; kind != nil && *kind != "" && (!slices.Contains(permission.Kinds, *kind) || len(args) == 0 && acts(*kind)) {
		return tool, false // nothing but its name tells that from a command
	}
	path := strings.TrimSpace(args["path"])
	for _, c := range shown {
		if c.path != path {
			return tool, false
		}
	}
	if p.Locations != nil {
		for _, at := range *p.Locations {
			if at.Path != path && !strings.HasSuffix(at.Path, "/"+path) {
				return tool, false
			}
		}
	}
	if p.Content != nil {
		for i := range *p.Content {
			if (*p.Content)[i].Type == "terminal" {
				return tool, false
			}
		}
	}
	return tool, true
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
		if tool != "" {
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
