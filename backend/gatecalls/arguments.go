package gatecalls

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Server is the name under which agents know the gateway.
const Server = "weft"

// prefix is before the name of a tool where it is named as one of the gateway's.
const prefix = "mcp__" + Server + "__"

// maxDepth bounds how deep the arguments of a call are searched for in what an agent shows around them.
const maxDepth = 5

// Members with which agents name server, tool and arguments of a call of an MCP tool, simplified by [simplified].
var (
	serverFields = []string{"server", "servername", "serverid", "mcpserver", "mcpservername"}
	toolFields   = []string{"tool", "toolname", "mcptool", "mcptoolname"}
	inputFields  = []string{"arguments", "args", "input", "params", "parameters", "toolinput", "toolparams", "toolarguments"}
)

// wrapped is a call whose arguments are beside the names of server and tool, as codex and cline show it.
type wrapped struct {
	server, tool string
	args         jsontext.Value // an object
}

// unwrap reads a wrapped call. ok is false if it has other members.
func unwrap(input jsontext.Value) (w wrapped, ok bool) {
	var members map[string]jsontext.Value
	if len(input) == 0 || input.Kind() != '{' || json.Unmarshal(input, &members) != nil || len(members) > 3 {
		return w, false
	}
	for name, value := range members {
		switch name := simplified(name); {
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
	if w.args == nil && len(members) == 2 { // called without arguments
		w.args = jsontext.Value("{}")
	}
	return w, w.server != "" && w.tool != "" && w.args != nil
}

// simplified returns the name of a member in lower case and without separators.
func simplified(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

// objectIn returns v if it is an object, or the object that the text v holds; else nil.
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

// Arguments returns the arguments of a call without the names of server and tool that some agents put around them.
func Arguments(input jsontext.Value) jsontext.Value {
	if w, ok := unwrap(input); ok && w.server == Server {
		return w.args
	}
	return input
}

// holds reports whether an input is these arguments, or has them somewhere within: as an object, or as the text of one.
func holds(input, args jsontext.Value) bool {
	return args.Kind() == '{' && holdsWithin(input, args, maxDepth)
}

func holdsWithin(v, args jsontext.Value, depth int) bool {
	if len(v) < len("{}") || depth == 0 {
		return false
	}
	switch v.Kind() {
	case '"':
		inner := objectIn(v)
		return inner != nil && holdsWithin(inner, args, depth-1)
	case '{':
		if SameJSON(v, args) {
			return true
		}
		var members map[string]jsontext.Value
		if json.Unmarshal(v, &members) != nil {
			return false
		}
		for _, member := range members {
			if holdsWithin(member, args, depth-1) {
				return true
			}
		}
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list) != nil {
			return false
		}
		return slices.ContainsFunc(list, func(one jsontext.Value) bool { return holdsWithin(one, args, depth-1) })
	default:
	}
	return false
}

// namesServer reports whether a member somewhere in an input says that the call is one of the gateway's.
func namesServer(v jsontext.Value, depth int) bool {
	var members map[string]jsontext.Value
	if depth == 0 || len(v) == 0 || v.Kind() != '{' || json.Unmarshal(v, &members) != nil {
		return false
	}
	for name, member := range members {
		var text string
		if slices.Contains(serverFields, simplified(name)) && json.Unmarshal(member, &text) == nil && text == Server || namesServer(member, depth-1) {
			return true
		}
	}
	return false
}

// HasArguments reports whether v is an object with members.
func HasArguments(v jsontext.Value) bool {
	var members map[string]jsontext.Value
	return len(v) > 0 && v.Kind() == '{' && json.Unmarshal(v, &members) == nil && len(members) > 0
}

// SameJSON reports whether both are the same JSON value, however they are written. No value is the same as none.
func SameJSON(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := append(jsontext.Value(nil), a...), append(jsontext.Value(nil), b...)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

// likeness returns how much of the arguments sent is found in what an agent shows of them, which it may have shortened: 0 for nothing. differs
// reports that a member has another value. With marked, a text is shortened only if its end says so; else any beginning is.
func likeness(shown, sent jsontext.Value, marked bool) (n int, differs bool) {
	var has, want map[string]jsontext.Value
	if json.Unmarshal(shown, &has) != nil || json.Unmarshal(sent, &want) != nil {
		return 0, false
	}
	for name, value := range want {
		other := has[name]
		switch {
		case len(other) == 0:
		case SameJSON(other, value):
			n += 2
		case isShortened(other, value, marked):
			n++
		default:
			differs = true
		}
	}
	return n, differs
}

// isShortened reports whether short is the beginning of the text long; with marked, only if dots stand for the rest.
func isShortened(short, long jsontext.Value, marked bool) bool {
	var a, b string
	if json.Unmarshal(short, &a) != nil || json.Unmarshal(long, &b) != nil {
		return false
	}
	cut := strings.TrimRight(a, ".…")
	return cut != "" && strings.HasPrefix(b, cut) && (!marked || cut != a)
}
