package tool

import (
	"encoding/json"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/llm"
)

// Options select the tools.
type Options struct {
	Fetch bool // the model may fetch web pages
	// FetchHosts are private hosts that fetch may access, for example "localhost", "10.0.0.7" or "wiki.internal".
	FetchHosts []string
}

// Builtin returns the built-in tools, in the order in which the model gets them.
func Builtin(opt Options) []Tool {
	tools := []Tool{listTool(), globTool(), searchTool(), readTool(), editTool(), writeTool(), shellTool(), todoTool()}
	if opt.Fetch {
		tools = append(tools, fetchTool(opt.FetchHosts))
	}
	return tools
}

// described returns a tool without its functions.
func described(name, description string, kind acp.ToolKind, effect Effect, p params) Tool {
	return Tool{Tool: llm.Tool{Name: name, Description: description, Schema: p.schema()}, Kind: kind, Effect: effect}
}

// looked returns a Look function that uses the input's path for the title and the location.
func looked(title func(name string) string) func(*Env, map[string]json.RawMessage) Look {
	return func(env *Env, fields map[string]json.RawMessage) Look {
		name, ok := textField(fields, "path")
		if !ok {
			return Look{Title: title("")}
		}
		return Look{Title: title(shortName(env, name)), Locations: locations(env, name, 0)}
	}
}

// textField returns a string field. ok is false if it is missing or empty.
func textField(fields map[string]json.RawMessage, name string) (text string, ok bool) {
	return text, json.Unmarshal(fields[name], &text) == nil && text != ""
}
