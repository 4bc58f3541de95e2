package gatecalls

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Request is a permission request of an agent, as far as it matters here.
type Request struct {
	Call *transcript.ToolPatch // what it says of the call
	// Does reports that what is asked about runs or writes something.
	Does bool
	// Changes are the files whose changes it shows.
	Changes []string
}

// Requested returns the gateway's tool that a permission request is for, if all of the request says so: what it calls the tool, or the call
// that it names and that was shown before, and its arguments.
func (c *Calls[S]) Requested(r Request) (Tool, bool) {
	p := r.Call
	g := c.calls[p.ID]
	named := transcript.ToolPatch{ID: p.ID, Name: p.Name, Title: p.Title, Input: p.Input}
	if p.Name != nil && *p.Name != "" {
		named.Title = nil // it may be words
	}
	tool, known := c.find.Of(&named)
	itself := known && tool.Exact // the request names the tool itself
	if g != nil && g.Exact && !itself {
		if tool, known = c.find.exactly(g.Tool); !known {
			return tool, false
		}
	} else if !itself || g != nil && g.Exact && g.Tool != tool.Name {
		return tool, false
	}
	args, ok := c.requestedArguments(r, g, &tool)
	if !ok || !itself && !c.sameTitle(p, g, &tool, args) {
		return tool, false
	}
	if kind := p.Kind; kind != nil && acts(*kind) && len(args) == 0 && !namesTool(p, g) {
		return tool, false // only its title tells it from a command
	}
	if !onlyFile(r, strings.TrimSpace(args["path"])) {
		return tool, false
	}
	return tool, true
}

// requestedArguments returns the arguments of the call that is asked about, if they are known and the request tells no others.
func (c *Calls[S]) requestedArguments(r Request, g *Call[S], tool *Tool) (args map[string]string, ok bool) {
	input := r.Call.Input
	switch {
	case input == nil && g != nil:
		input = g.Whole
	case input != nil && g != nil && HasArguments(g.Whole) && !SameJSON(Arguments(input), g.Whole):
		// The request tells more than the arguments: if that runs or writes something, it is another call.
		if !holds(input, g.Whole) || r.Does {
			return nil, false
		}
		input = g.Whole
	case input != nil && g != nil && g.Exact && tool.refuses(Arguments(input)):
		if !namesServer(input, maxDepth) || r.Does {
			return nil, false
		}
		input = nil
	}
	if call := c.open[r.Call.ID]; input == nil && g == nil && call != nil {
		input = call.Input
	}
	return tool.arguments(input)
}

// sameTitle reports whether the words of a request are about the call that was shown as one of the tool, and not about another one.
func (c *Calls[S]) sameTitle(p *transcript.ToolPatch, g *Call[S], tool *Tool, args map[string]string) bool {
	for _, as := range []*string{p.Name, p.Title} {
		if as == nil {
			continue
		}
		said := strings.TrimSpace(*as)
		if said == "" || said == strings.TrimSpace(g.Title) || said == tool.Name || saysArguments(said, g, p) {
			continue
		}
		if t, ok := c.find(said); ok && t.Exact && t.Name == tool.Name {
			continue
		}
		// Words such as "Approve MCP tool call", where they can't be a command, nor the name of another tool.
		words := as == p.Title && strings.ContainsRune(said, ' ') && !strings.Contains(said, tool.Name) && !strings.ContainsAny(said, "/\\|;&<>$`(){}[]=:")
		if !words || p.Kind != nil && acts(*p.Kind) || len(args) == 0 && !namesServer(p.Input, maxDepth) {
			return false
		}
	}
	return true
}

// saysArguments reports whether a title is the JSON of the call's arguments, or the beginning of it.
func saysArguments[S any](said string, g *Call[S], p *transcript.ToolPatch) bool {
	if !strings.HasPrefix(said, "{") {
		return false
	}
	short := strings.TrimRight(said, ".…")
	for _, args := range []jsontext.Value{g.Whole, Arguments(p.Input)} {
		if SameJSON(jsontext.Value(said), args) {
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
func namesTool[S any](p *transcript.ToolPatch, g *Call[S]) bool {
	if p.Name != nil && *p.Name != "" {
		return true
	}
	if _, ok := unwrap(p.Input); ok {
		return true
	}
	return g != nil && g.Exact && !strings.ContainsRune(g.Title, '/')
}

// onlyFile reports whether a request shows no file but the one that the arguments of the call name, and runs nothing.
func onlyFile(r Request, path string) bool {
	for _, changed := range r.Changes {
		if changed != path {
			return false
		}
	}
	if p := r.Call; p.Locations != nil {
		for _, at := range *p.Locations {
			if at.Path != path && !strings.HasSuffix(at.Path, "/"+path) {
				return false
			}
		}
	}
	if p := r.Call; p.Content != nil {
		for i := range *p.Content {
			if (*p.Content)[i].Type == "terminal" {
				return false
			}
		}
	}
	return true
}

// AsCalled returns what a permission request says of a call without what it says of the request: some agents give the call another title
// ("Approve MCP tool call") and kind there, and tell its arguments in another form.
func (c *Calls[S]) AsCalled(p *transcript.ToolPatch, tool *Tool) *transcript.ToolPatch {
	told := *p
	g := c.calls[p.ID]
	told.Announced = g == nil
	if g == nil {
		return &told
	}
	told.Title, told.Kind, told.Content, told.Status = nil, nil, nil, nil
	if args := Arguments(p.Input); HasArguments(g.Whole) || tool.refuses(args) {
		told.Input = nil
	}
	return &told
}

// acts reports whether a call of a kind changes files or runs something.
func acts(kind string) bool {
	return kind == "execute" || kind == "edit" || kind == "delete" || kind == "move"
}
