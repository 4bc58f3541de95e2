package runs

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// How agents name calls of tools of MCP servers in the arguments of a call, by simplified names.
var (
	serverFields = []string{"server", "servername", "serverid", "mcpserver", "mcpservername"}
	toolFields   = []string{"tool", "toolname", "mcptool", "mcptoolname"}
	inputFields  = []string{"arguments", "args", "input", "params", "parameters", "toolinput", "toolparams", "toolarguments"}
)

// wrapped is a call as agents (codex, cline) tell it where the names of server and tool stand around its arguments.
type wrapped struct {
	server, tool string
	args         jsontext.Value // an object
}

// unwrap reads such a call. It is not ok if anything else stands beside the three.
func unwrap(input jsontext.Value) (w wrapped, ok bool) {
	var members map[string]jsontext.Value
	if len(input) == 0 || input.Kind() != '{' || json.Unmarshal(input, &members) != nil || len(members) > 3 {
		return w, false
	}
	for name, value := range members {
		switch name := fieldName(name); {
		case slices.Contains(serverFields, name):
			_ = json.Unmarshal(value, &w.server)
		case slices.Contains(toolFields, name):
			_ = json.Unmarshal(value, &w.tool)
		case slices.Contains(inputFields, name):
			w.args = objectIn(value)
		default:
			return w, false
		}
	}
	if w.args == nil && len(members) == 2 { // called without any
		w.args = jsontext.Value("{}")
	}
	return w, w.server != "" && w.tool != "" && w.args != nil
}

// fieldName is the name of a member without case and separators.
func fieldName(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

// objectIn is an object, or the one that a text holds; nil if it is neither.
func objectIn(v jsontext.Value) jsontext.Value {
	switch v.Kind() {
	case '{':
		return v
	case '"':
		var text string
		if json.Unmarshal(v, &text) != nil {
			return nil
		}
		if inner := jsontext.Value(strings.TrimSpace(text)); inner.IsValid() && inner.Kind() == '{' {
			return inner
		}
	default:
	}
	return nil
}

// argumentsOf are the arguments of a call, without what an agent tells around them of Weft's server.
func argumentsOf(input jsontext.Value) jsontext.Value {
	if w, ok := unwrap(input); ok && w.server == gatewayName {
		return w.args
	}
	return input
}

// maxWrapping is how deep the arguments of a call are looked for in what an agent tells around them.
const maxWrapping = 5

// holds reports whether an input is these arguments, or has them somewhere within: as an object, or as the text of one.
func holds(input, args jsontext.Value) bool {
	return args.Kind() == '{' && wraps(input, args, maxWrapping)
}

func wraps(v, args jsontext.Value, depth int) bool {
	if len(v) < len("{}") || depth == 0 {
		return false
	}
	switch v.Kind() {
	case '"':
		inner := objectIn(v)
		return inner != nil && wraps(inner, args, depth-1)
	case '{':
		if sameJSON(v, args) {
			return true
		}
		var members map[string]jsontext.Value
		if json.Unmarshal(v, &members) != nil {
			return false
		}
		for _, member := range members {
			if wraps(member, args, depth-1) {
				return true
			}
		}
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list) != nil {
			return false
		}
		return slices.ContainsFunc(list, func(one jsontext.Value) bool { return wraps(one, args, depth-1) })
	default:
	}
	return false
}

// namesServer reports whether a member somewhere in an input says that the call is one of Weft's server.
func namesServer(v jsontext.Value, depth int) bool {
	var members map[string]jsontext.Value
	if depth == 0 || len(v) == 0 || v.Kind() != '{' || json.Unmarshal(v, &members) != nil {
		return false
	}
	for name, member := range members {
		var text string
		if slices.Contains(serverFields, fieldName(name)) && json.Unmarshal(member, &text) == nil && text == gatewayName || namesServer(member, depth-1) {
			return true
		}
	}
	return false
}

// hasArguments reports whether a value is an object with members.
func hasArguments(v jsontext.Value) bool {
	var members map[string]jsontext.Value
	return len(v) > 0 && v.Kind() == '{' && json.Unmarshal(v, &members) == nil && len(members) > 0
}

// toolOfGate is the gateway's tool that a call is of, by what the agent tells of it: its arguments with the names of server and tool around
// them, the tool's name, or the title.
func (l *link) toolOfGate(p *transcript.ToolPatch) (tool GateTool, ok bool) {
	called := l.s.m.opt.GateTool
	if called == nil {
		return GateTool{}, false
	}
	if w, wraps := unwrap(p.Input); wraps {
		if w.server != gatewayName {
			return GateTool{}, false
		}
		if t, ok := called(gatewayPrefix + w.tool); ok && t.Exact {
			return t, true
		}
	}
	for _, as := range []*string{p.Name, p.Title} {
		if as == nil {
			continue
		}
		if t, known := called(*as); known && (!ok || t.Exact) {
			if tool, ok = t, true; t.Exact {
				return tool, true
			}
		}
	}
	return tool, ok
}

// gatewayPrefix stands before the name of a tool where it is named as one of Weft's server.
const gatewayPrefix = "mcp__" + gatewayName + "__"

// like says how much of the arguments of a call is what an agent shows of them, which may be shortened: 0 if nothing is.
func like(shown, sent jsontext.Value) (n int) {
	var has, want map[string]jsontext.Value
	if json.Unmarshal(shown, &has) != nil || json.Unmarshal(sent, &want) != nil {
		return 0
	}
	for name, value := range want {
		var short, long string
		switch other := has[name]; {
		case len(other) == 0:
		case sameJSON(other, value):
			n += 2
		case json.Unmarshal(other, &short) == nil && json.Unmarshal(value, &long) == nil:
			if short = strings.TrimRight(short, ".…"); short != "" && strings.HasPrefix(long, short) {
				n++
			}
		}
	}
	return n
}
