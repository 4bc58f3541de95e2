package settings

import (
	"maps"
	"slices"
)

// MCPServer is a Model Context Protocol server whose tools agents can use.
type MCPServer struct {
	Name     string            `json:"name"`
	Type     string            `json:"type"`              // stdio, http, sse
	Command  string            `json:"command,omitempty"` // stdio
	Args     []string          `json:"args,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	URL      string            `json:"url,omitempty"` // http, sse
	Headers  map[string]string `json:"headers,omitempty"`
	Disabled bool              `json:"disabled,omitempty"`
	// SecretEnv and SecretHeaders are further variables and headers. Their values are references (see
	// backend/settings/secret).
	SecretEnv     map[string]string `json:"secretEnv,omitempty"`
	SecretHeaders map[string]string `json:"secretHeaders,omitempty"`
	// Via tells how agents access the tools: ViaDirect (also if empty) or ViaGateway.
	Via string `json:"via,omitempty"`
	// Tools are the settings of single tools, by the server's names for them. They apply only to ViaGateway.
	Tools map[string]MCPTool `json:"tools,omitempty"`
}

// How agents access the tools of an MCP server.
const (
	ViaDirect  = "direct"  // agents get the server's settings and connect to it themselves
	ViaGateway = "gateway" // Weft connects to it and offers its tools
)

// MCPTool is the user's settings for one tool that Weft offers. The zero value is the default.
type MCPTool struct {
	Off        bool   `json:"off,omitempty"`                                   // hidden from agents
	Display    bool   `json:"display,omitempty"`                               // its calls can be shown in a space
	Visibility string `json:"visibility,omitempty" enum:"hidden,minimal,full"` // how its calls are drawn in the agent's space: hidden, minimal, or full (also if empty)
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
