package settings

import (
	"maps"
	"slices"
)

// MCPServer is a Model Context Protocol server whose tools agents have.
type MCPServer struct {
	Name     string            `json:"name"`
	Type     string            `json:"type"`              // stdio, http, sse
	Command  string            `json:"command,omitempty"` // stdio
	Args     []string          `json:"args,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	URL      string            `json:"url,omitempty"` // http, sse
	Headers  map[string]string `json:"headers,omitempty"`
	Disabled bool              `json:"disabled,omitempty"`
	// SecretEnv and SecretHeaders are more of them, whose values are references (see backend/secret).
	SecretEnv     map[string]string `json:"secretEnv,omitempty"`
	SecretHeaders map[string]string `json:"secretHeaders,omitempty"`
	// Via says how agents come to the tools: ViaDirect (also when empty) or ViaGateway.
	Via string `json:"via,omitempty"`
	// Tools are switches by the server's own names of its tools. They count for ViaGateway only.
	Tools map[string]MCPTool `json:"tools,omitempty"`
}

// The ways by which agents come to the tools of an MCP server.
const (
	ViaDirect  = "direct"  // they are handed the server and connect to it themselves
	ViaGateway = "gateway" // Weft connects to it and offers its tools
)

// MCPTool is what the user decides for one tool that Weft offers. The zero value is a tool as any other.
type MCPTool struct {
	Off        bool   `json:"off,omitempty"`                                   // agents do not see it
	Display    bool   `json:"display,omitempty"`                               // its calls can be shown in a space
	Visibility string `json:"visibility,omitempty" enum:"hidden,minimal,full"` // hidden, minimal, full (also when empty): how its calls look where the agent works
}

var (
	mcpTypes     = []string{"stdio", "http", "sse"}
	mcpVias      = []string{"", ViaDirect, ViaGateway}
	visibilities = []string{"", "hidden", "minimal", "full"}
)

func (m MCPServer) clone() MCPServer {
	m.Args, m.Env, m.Headers = slices.Clone(m.Args), maps.Clone(m.Env), maps.Clone(m.Headers)
	m.SecretEnv, m.SecretHeaders, m.Tools = maps.Clone(m.SecretEnv), maps.Clone(m.SecretHeaders), maps.Clone(m.Tools)
	return m
}

func (m MCPServer) equal(o MCPServer) bool {
	return m.Name == o.Name && m.Type == o.Type && m.Command == o.Command && m.URL == o.URL && m.Disabled == o.Disabled && m.Via == o.Via &&
		slices.Equal(m.Args, o.Args) && maps.Equal(m.Env, o.Env) && maps.Equal(m.Headers, o.Headers) &&
		maps.Equal(m.SecretEnv, o.SecretEnv) && maps.Equal(m.SecretHeaders, o.SecretHeaders) && maps.Equal(m.Tools, o.Tools)
}
