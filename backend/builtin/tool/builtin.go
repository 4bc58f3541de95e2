package tool

import (
	"encoding/json"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/llm"
)

// Options say which tools there are.
type Options struct {
	Fetch bool // the model may ask for web pages
	// FetchHosts are hosts that fetch may reach although they are on this machine or in its network: "localhost",
	// "10.0.0.7", "wiki.internal".
	FetchHosts []string
}

// Builtin are the tools that the agent brings itself, in the order in which a model is told about them.
func Builtin(opt Options) []Tool {
	tools := []Tool{listTool(), globTool(), searchTool(), readTool(), editTool(), writeTool(), shellTool(), todoTool()}
	if opt.Fetch {
		tools = append(tools, fetchTool(opt.FetchHosts))
	}
	return tools
}

// described is a tool without its functions.
func described(name, description string, kind acp.ToolKind, effect Effect, p params) Tool {
	return Tool{Tool: llm.Tool{Name: name, Description: description, Schema: p.schema()}, Kind: kind, Effect: effect}
}

// looked is a Look that makes a title and locations of a path.
func looked(title func(name string) string) func(*Env, map[string]json.RawMessage) Look {
	return func(env *Env, fields map[string]json.RawMessage) Look {
		name, ok := textField(fields, "path")
		if !ok {
			return Look{Title: title("")}
		}
		return Look{Title: title(shortName(env, name)), Locations: locations(env, name, 0)}
	}
}

// textField reads a field that is a string.
func textField(fields map[string]json.RawMessage, name string) (text string, ok bool) {
	return text, json.Unmarshal(fields[name], &text) == nil && text != ""
}
