package gateway

import "encoding/json"

// Definition is a tool that Weft offers to agents: one that is built in, or one from a file of the person's.
type Definition struct {
	Name        string          `json:"name"` // [a-zA-Z0-9_-]{1,64}
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"` // a JSON Schema of an object
	// DisplayTool makes it one that can be drawn in a space: agents see the optional targetSpaceId.
	DisplayTool   bool       `json:"displayTool,omitempty"`
	ExecutionType string     `json:"executionType,omitempty"` // client, server; "" is what Execution says
	Execution     *Execution `json:"execution,omitempty"`
	Visibility    string     `json:"visibility,omitempty"` // hidden, minimal, full; "" is full
	Icon          string     `json:"icon,omitempty"`
}

// Execution is how a tool's result comes about.
type Execution struct {
	// Mode is no-execution (a person answers), http or command. "" is a display that is drawn and has no result.
	Mode    string            `json:"mode"`
	URL     string            `json:"url,omitempty"`
	Method  string            `json:"method,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Timeout int               `json:"timeout,omitempty"` // milliseconds; 0 is 30 s
}
