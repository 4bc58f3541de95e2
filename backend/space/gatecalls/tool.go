package gatecalls

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// Tool describes one of the gateway's tools.
type Tool struct {
	Name       string
	Title      string // the title of its calls; "": the agent's
	Visibility string // how its calls are drawn; "": in full
	Acts       bool   // it asks for permission before it does something
	Draws      bool   // its calls can be drawn in a space
	// Draw is how its calls are drawn; nil if the component with the tool's name does it.
	Draw jsontext.Value
	// Exact means that the agent used a name that only this tool of Weft's server can have.
	Exact bool
	// Takes reports whether the tool has an argument of this name. If it is nil, any name is accepted.
	Takes func(argument string) bool
	// Bare returns its arguments without the one that says in which space it is shown. It is nil if there is no such
	// argument.
	Bare func(arguments jsontext.Value) jsontext.Value
}

// Lookup finds the tool that an agent means by the name or the title of a call.
type Lookup func(called string) (tool Tool, ok bool)

// exactly returns the gateway's tool with that name. ok is false if there is none.
func (find Lookup) exactly(name string) (Tool, bool) {
	if find == nil {
		return Tool{}, false
	}
	t, ok := find(prefix + name)
	return t, ok && t.Exact
}

// named returns the gateway's tool with that name. If it is unknown, only Name is set.
func (find Lookup) named(name string) Tool {
	var t Tool
	if find != nil {
		t, _ = find(prefix + name)
	}
	t.Name = name
	return t
}

// Of returns the gateway's tool that an update of a call is about: by the names of server and tool around the
// arguments, the tool's name, or the title.
func (find Lookup) Of(p *transcript.ToolPatch) (tool Tool, ok bool) {
	if find == nil {
		return Tool{}, false
	}
	if w, wraps := unwrap(p.Input); wraps {
		if w.server != Server {
			return Tool{}, false
		}
		if t, ok := find.exactly(w.tool); ok {
			return t, true
		}
	}
	for _, as := range []*string{p.Name, p.Title} {
		if as == nil {
			continue
		}
		if t, known := find(*as); known && (!ok || t.Exact) {
			if tool, ok = t, true; t.Exact {
				return tool, true
			}
		}
	}
	return tool, ok
}

// told returns an update of a call that is certain to be of the tool, because it has arrived or the name is exact,
// with Weft's name and title for the tool. The patch itself isn't changed.
func (t *Tool) told(p *transcript.ToolPatch, arrived bool) *transcript.ToolPatch {
	if !arrived && !t.Exact || p.Name == nil && (p.Title == nil || t.Title == "") {
		return p
	}
	told := *p
	if told.Name != nil {
		told.Name = &t.Name
	}
	if p.Title != nil && t.Title != "" {
		told.Title, told.Called = &t.Title, *p.Title
	}
	return &told
}

// words are arguments that models invent for tools that don't have them. They have no effect; the gateway ignores
// them.
var words = map[string]bool{"title": true, "description": true, "language": true, "label": true, "caption": true, "summary": true, "explanation": true, "reason": true}

// arguments returns the arguments of a call: strings as they are, other values as "". ok is false if the tool doesn't
// take one of them.
func (t *Tool) arguments(input jsontext.Value) (args map[string]string, ok bool) {
	if len(input) == 0 || input.Kind() == 'n' {
		return nil, true
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(Arguments(input), &members) != nil {
		return nil, false
	}
	args = map[string]string{}
	for name, value := range members {
		if t.Takes != nil && !t.Takes(name) && (!words[name] || value.Kind() != '"') {
			return nil, false
		}
		text := ""
		_ = json.Unmarshal(value, &text) // or it is not a string
		args[name] = text
	}
	return args, true
}

// refuses reports whether args can't be the arguments of a call of the tool.
func (t *Tool) refuses(args jsontext.Value) bool {
	_, ok := t.arguments(args)
	return !ok
}
