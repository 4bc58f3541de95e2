package gatecalls

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/space/toolcalls"
)

// asked is a permission request with what was known before about its call.
type asked[S any] struct {
	Request
	line *Call[S]            // the call that it names; nil if that isn't known as one of the gateway's
	open *toolcalls.OpenCall // nil if the agent hasn't shown the call
	tool *Tool               // that the request is for
}

// arguments returns the arguments of the call. ok is false if they are unknown or the request contradicts them.
func (a *asked[S]) arguments() (args map[string]string, ok bool) {
	g, input := a.line, a.Call.Input
	switch {
	case input == nil && g != nil:
		input = g.Whole
	case input != nil && g != nil && HasArguments(g.Whole) && !SameJSON(Arguments(input), g.Whole):
		// The request contains more than the arguments. If that runs or writes something, it is another call.
		if !holds(input, g.Whole) || a.Does {
			return nil, false
		}
		input = g.Whole
	case input != nil && g != nil && g.Tool.Exact && a.tool.refuses(Arguments(input)):
		if !namesServer(input, maxDepth) || a.Does {
			return nil, false
		}
		input = nil
	}
	if input == nil && g == nil && a.open != nil {
		input = a.open.Input
	}
	return a.tool.arguments(input)
}

// sameTitle reports whether name and title of the request fit the call that was shown for the tool, and no other.
// a.line must not be nil.
func (a *asked[S]) sameTitle(find Lookup, args map[string]string) bool {
	p, name := a.Call, a.tool.Name
	for _, as := range []*string{p.Name, p.Title} {
		if as == nil {
			continue
		}
		said := strings.TrimSpace(*as)
		if said == "" || said == strings.TrimSpace(a.line.Title) || said == name || a.saysArguments(said) {
			continue
		}
		if t, ok := find(said); ok && t.Exact && t.Name == name {
			continue
		}
		// Words such as "Approve MCP tool call", where they can't be a command, nor the name of another tool.
		words := as == p.Title && strings.ContainsRune(said, ' ') && !strings.Contains(said, name) && !strings.ContainsAny(said, "/\\|;&<>$`(){}[]=:")
		if !words || p.Kind != nil && acts(*p.Kind) || len(args) == 0 && !namesServer(p.Input, maxDepth) {
			return false
		}
	}
	return true
}

// saysArguments reports whether a title is the JSON of the call's arguments, or a prefix of it.
func (a *asked[S]) saysArguments(said string) bool {
	if !strings.HasPrefix(said, "{") {
		return false
	}
	short := strings.TrimRight(said, ".…")
	for _, args := range []jsontext.Value{a.line.Whole, Arguments(a.Call.Input)} {
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

// namesTool reports whether more than a title identifies the tool: its name, the names around its arguments, or an
// earlier title that wasn't a path.
func (a *asked[S]) namesTool() bool {
	if p := a.Call; p.Name != nil && *p.Name != "" {
		return true
	}
	if _, ok := unwrap(a.Call.Input); ok {
		return true
	}
	return a.line != nil && a.line.Tool.Exact && !strings.ContainsRune(a.line.Title, '/')
}
