package gatecalls

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Server is the gateway's name as an MCP server.
const Server = "weft"

// prefix precedes the name of a gateway tool in its full name.
const prefix = "mcp__" + Server + "__"

// maxDepth limits how deep the arguments of a call are searched for in an agent's input.
const maxDepth = 5

// The member names that agents use for server, tool and arguments of an MCP call, as returned by [simplified].
var (
	serverFields = []string{"server", "servername", "serverid", "mcpserver", "mcpservername"}
	toolFields   = []string{"tool", "toolname", "mcptool", "mcptoolname"}
	inputFields  = []string{"arguments", "args", "input", "params", "parameters", "toolinput", "toolparams", "toolarguments"}
)

// wrapped is a call whose arguments are next to the names of server and tool, as codex and cline show it.
type wrapped struct {
	server, tool string
	args         jsontext.Value // an object
}

// unwrap parses a wrapped call. ok is false if it has other members.
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

// simplified returns a member name in lower case and without separators.
func simplified(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

// objectIn returns v if it is an object, or the object in the string v; otherwise nil.
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

// Arguments returns the arguments of a call without the names of server and tool that some agents add.
func Arguments(input jsontext.Value) jsontext.Value {
	if w, ok := unwrap(input); ok && w.server == Server {
		return w.args
	}
	return input
}

// holds reports whether input is args or contains args anywhere, as an object or in a string.
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

// namesServer reports whether a member anywhere in an input names the gateway as the server.
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

// SameJSON reports whether both are the same JSON value in any notation. It returns false if either is empty.
func SameJSON(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := append(jsontext.Value(nil), a...), append(jsontext.Value(nil), b...)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

// likeness scores how many of the sent arguments appear in the shown ones, which the agent may have shortened; 0 for
// none. differs reports that a member has a different value. If marked is set, a string counts as shortened only if
// it ends in dots, otherwise any prefix does.
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

// isShortened reports whether the string short is a prefix of long; if marked is set, only if it ends in dots.
func isShortened(short, long jsontext.Value, marked bool) bool {
	var a, b string
	if json.Unmarshal(short, &a) != nil || json.Unmarshal(long, &b) != nil {
		return false
	}
	cut := strings.TrimRight(a, ".…")
	return cut != "" && strings.HasPrefix(b, cut) && (!marked || cut != a)
}
