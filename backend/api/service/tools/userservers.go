package tools

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"weft/backend/agent/agentproc"
	"weft/backend/agent/failure"
	"weft/backend/agent/mcp"
	"weft/backend/api/service/jobs"
	"weft/backend/api/service/secrets"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/gateway"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

// MCPServer is an MCP server in the settings, with references in place of secrets.
type MCPServer struct {
	Name          string            `json:"name"`
	Type          string            `json:"type" enum:"stdio,http,sse"` // stdio, http, sse
	Command       string            `json:"command"`
	Args          []string          `json:"args"`
	Env           map[string]string `json:"env"`
	URL           string            `json:"url"`
	Headers       map[string]string `json:"headers"`
	SecretEnv     map[string]string `json:"secretEnv"`
	SecretHeaders map[string]string `json:"secretHeaders"`
	Disabled      bool              `json:"disabled"`

	Via   string                      `json:"via" enum:"direct,gateway"` // direct, gateway
	Tools map[string]settings.MCPTool `json:"tools"`
	// Troubles are sentences about what the gateway can't pass on now. They are empty for direct servers.
	Troubles []string `json:"troubles"`
}

// MCPServerForm is an MCP server in a form.
type MCPServerForm struct {
	Name          string                         `json:"name"`
	Type          string                         `json:"type" enum:"stdio,http,sse"`
	Command       string                         `json:"command"`
	Args          []string                       `json:"args"`
	Env           map[string]string              `json:"env"`
	URL           string                         `json:"url"`
	Headers       map[string]string              `json:"headers"`
	SecretEnv     map[string]secrets.SecretInput `json:"secretEnv"`
	SecretHeaders map[string]secrets.SecretInput `json:"secretHeaders"`
	Disabled      bool                           `json:"disabled"`

	Via   string                      `json:"via,omitzero" enum:"direct,gateway"` // direct (also when empty), gateway
	Tools map[string]settings.MCPTool `json:"tools,omitzero"`
}

// The requests about MCP servers.
type (
	// SaveMCPServerRequest adds a server, or replaces the one named Was.
	SaveMCPServerRequest struct {
		Was    string        `json:"was"`
		Server MCPServerForm `json:"server"`
	}
	// MCPServerRef names an MCP server.
	MCPServerRef struct {
		Name string `json:"name"`
	}
	// TestMCPServerRequest connects to the server with Name, or to one that is not saved yet.
	TestMCPServerRequest struct {
		Name   string         `json:"name,omitzero"`
		Server *MCPServerForm `json:"server,omitzero"`
	}
	// MCPTest is the result of connecting to a server.
	MCPTest struct {
		OK         bool                `json:"ok"`
		Name       string              `json:"name"`
		Version    string              `json:"version"`
		Protocol   string              `json:"protocol"`
		Tools      []mcp.Tool          `json:"tools"`
		More       bool                `json:"more"`  // it has more tools than listed
		Noise      string              `json:"noise"` // output on stdout that isn't a message
		DurationMs int64               `json:"durationMs"`
		Failure    *transcript.Failure `json:"failure"` // Detail holds the end of stderr
	}
)

// UserServerOptions configures [NewUserServers].
type UserServerOptions struct {
	Settings *settings.File
	Secrets  *secrets.Keeper
	Tests    *jobs.Tests
	Changed  func() // called after the servers have changed
	Version  string
	DataDir  string
}

// UserServers are the user's MCP servers.
type UserServers struct {
	settings *settings.File
	secrets  *secrets.Keeper
	tests    *jobs.Tests
	gateway  *gateway.Gateway // set by [OpenOwnServer]; nil if it could not be opened
	changed  func()
	version  string
	dataDir  string
}

// NewUserServers returns the servers of the settings.
func NewUserServers(opt UserServerOptions) *UserServers {
	return &UserServers{settings: opt.Settings, secrets: opt.Secrets, tests: opt.Tests, changed: opt.Changed, version: opt.Version, dataDir: opt.DataDir}
}

// MCPServers returns the user's MCP servers. A secret is returned as its reference; no command returns its value. `via`
// is `direct` (agents connect to the server) or `gateway` (Weft offers its tools, docs/gateway.md); `troubles` are
// sentences about what the gateway can't pass on.
func (s *UserServers) MCPServers(context.Context, command.None) ([]MCPServer, error) {
	list := []MCPServer{}
	troubles := s.troubles()
	for _, m := range s.settings.Get().MCPServers {
		list = append(list, mcpView(m, troubles[m.Name]))
	}
	return list, nil
}

func mcpView(m settings.MCPServer, troubles []string) MCPServer {
	return MCPServer{
		Name: m.Name, Type: m.Type, Command: m.Command, Args: append([]string{}, m.Args...), URL: m.URL, Disabled: m.Disabled,
		Via: cmp.Or(m.Via, settings.ViaDirect), Tools: nonNil(m.Tools), Troubles: append([]string{}, troubles...),
		Env: nonNil(m.Env), Headers: nonNil(m.Headers), SecretEnv: nonNil(m.SecretEnv), SecretHeaders: nonNil(m.SecretHeaders),
	}
}

func nonNil[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// SaveMCPServer adds or changes an MCP server. New sessions get it; open sessions get its tools at once if they come
// through the gateway.
func (s *UserServers) SaveMCPServer(ctx context.Context, req SaveMCPServerRequest) (MCPServer, error) {
	m, err := plainServer(&req.Server)
	if err != nil {
		return MCPServer{}, err
	}
	before := s.settings.Get()
	env, added, err := s.secrets.Keep(ctx, "mcp-"+m.Name, req.Server.SecretEnv)
	if err == nil {
		var more []string
		m.SecretEnv = env
		m.SecretHeaders, more, err = s.secrets.Keep(ctx, "mcp-"+m.Name, req.Server.SecretHeaders)
		added = append(added, more...)
	}
	if err == nil {
		err = s.settings.Update(func(now *settings.Settings) error {
			at := slices.IndexFunc(now.MCPServers, func(o settings.MCPServer) bool { return req.Was != "" && o.Name == req.Was })
			if at < 0 {
				now.MCPServers = append(now.MCPServers, m)
				return nil
			}
			now.MCPServers[at] = m
			return nil
		})
	}
	if err != nil {
		s.secrets.Forget(ctx, added...)
		return MCPServer{}, err
	}
	s.secrets.ForgetDropped(ctx, before)
	s.changed()
	return mcpView(m, nil), nil
}

// plainServer returns the server of a form without its secrets. It clears form fields of other transports.
func plainServer(f *MCPServerForm) (settings.MCPServer, error) {
	m := settings.MCPServer{
		Name: strings.TrimSpace(f.Name), Type: f.Type, Disabled: f.Disabled, Via: f.Via, Tools: maps.Clone(f.Tools),
	}
	if m.Via == settings.ViaDirect {
		m.Via = "" // the file omits the default
	}
	maps.DeleteFunc(m.Tools, func(_ string, how settings.MCPTool) bool { return how == settings.MCPTool{} })
	if m.Name == "" {
		return m, fault.New(fault.Invalid, "Enter a name for the server.")
	}
	if len(m.Name) > 100 || strings.ContainsFunc(m.Name, func(r rune) bool { return r < ' ' }) {
		return m, fault.New(fault.Invalid, "The name is too long, or contains a line break.")
	}
	if f.Type == "stdio" {
		m.Command, m.Args, m.Env = strings.TrimSpace(f.Command), f.Args, f.Env
		f.SecretHeaders = nil
		return m, nil
	}
	f.SecretEnv = nil
	m.URL, m.Headers = strings.TrimSpace(f.URL), f.Headers
	for name, in := range f.SecretHeaders {
		if strings.ContainsAny(in.Value, "\r\n") {
			return m, fault.New(fault.Invalid, "The header {{name}} contains a line break.", name)
		}
	}
	return m, nil
}

// RemoveMCPServer removes a server. Until the next start, saving it again with its references restores it.
func (s *UserServers) RemoveMCPServer(ctx context.Context, req MCPServerRef) (command.None, error) {
	before := s.settings.Get()
	err := s.settings.Update(func(now *settings.Settings) error {
		n := len(now.MCPServers)
		now.MCPServers = slices.DeleteFunc(now.MCPServers, func(m settings.MCPServer) bool { return m.Name == req.Name })
		if len(now.MCPServers) == n {
			return fault.New("not_found", "The MCP server with this name no longer exists.")
		}
		return nil
	})
	if err != nil {
		return command.None{}, err
	}
	s.secrets.ForgetDropped(ctx, before)
	s.changed()
	return command.None{}, nil
}

// mcpDownload is the time limit for a server whose command may have to download it first.
const mcpDownload = 3 * time.Minute

// TestMCPServer connects to a server and returns its name, version and tools, or the error. It blocks for at most 30 s
// (3 min if the command may have to download the server first), and until the server has exited. CancelTest cancels it.
func (s *UserServers) TestMCPServer(ctx context.Context, req TestMCPServerRequest) (MCPTest, error) {
	ctx, end := s.tests.Start(ctx)
	defer end()
	began := time.Now()
	server, err := s.testedServer(ctx, req)
	var about mcp.About
	if err == nil {
		dir, homeErr := os.UserHomeDir()
		if homeErr != nil {
			dir = os.TempDir()
		}
		opt := mcp.Options{Version: s.version, Dir: dir, PidDir: agentproc.PidDir(s.dataDir)}
		if agentproc.Downloads(server.Command) {
			opt.Timeout = mcpDownload
		}
		about, err = mcp.Look(ctx, server, opt)
	}
	test := MCPTest{
		OK: err == nil, Name: about.Name, Version: about.Version, Protocol: about.Protocol, Tools: about.Tools, More: about.More,
		Noise: about.Noise, DurationMs: time.Since(began).Milliseconds(),
	}
	if test.Tools == nil {
		test.Tools = []mcp.Tool{}
	}
	if err != nil {
		var gone *fault.Error
		if errors.As(err, &gone) && gone.Code == "not_found" {
			return test, err
		}
		failed := failure.Of(err)
		hidden := failure.Hide(transcript.Failure{Code: failed.Code, Message: failed.Message, Detail: strings.TrimSpace(failed.Detail), Said: failed.Said}, s.secrets.Redactor().Text)
		test.Failure = &hidden
	}
	return test, nil
}

// testedServer returns a server with its secrets. It uses unsaved secrets of a form directly.
func (s *UserServers) testedServer(ctx context.Context, req TestMCPServerRequest) (mcp.Server, error) {
	form := req.Server
	if form == nil {
		list := s.settings.Get().MCPServers
		i := slices.IndexFunc(list, func(m settings.MCPServer) bool { return m.Name == req.Name })
		if i < 0 {
			return mcp.Server{}, fault.New("not_found", "The MCP server with this name no longer exists.")
		}
		m := list[i]
		form = &MCPServerForm{
			Name: m.Name, Type: m.Type, Command: m.Command, Args: m.Args, Env: m.Env, URL: m.URL, Headers: m.Headers,
			SecretEnv: secrets.Inputs(m.SecretEnv), SecretHeaders: secrets.Inputs(m.SecretHeaders),
		}
	}
	if form.Name == "" {
		form.Name = "test"
	}
	m, err := plainServer(form)
	if err != nil {
		return mcp.Server{}, err
	}
	m.SecretEnv, m.SecretHeaders = secrets.Refs(form.SecretEnv), secrets.Refs(form.SecretHeaders)
	if err := settings.CheckServer(m); err != nil {
		return mcp.Server{}, err
	}
	return s.reach(ctx, m, form.SecretEnv, form.SecretHeaders)
}

// reach returns how to connect to a server, with its secrets, typed or stored.
func (s *UserServers) reach(ctx context.Context, m settings.MCPServer, env, headers map[string]secrets.SecretInput) (out mcp.Server, err error) {
	out = mcp.Server{Name: m.Name, Type: m.Type, Command: m.Command, Args: m.Args, URL: m.URL}
	if err := secret.Complete(slices.Concat([]string{m.Command, m.URL}, m.Args)...); err != nil {
		return out, err
	}
	read := secret.Reader(ctx, s.secrets.Read)
	if out.Env, err = s.secrets.Fill(m.Env, env, read); err != nil {
		return out, err
	}
	out.Headers, err = s.secrets.Fill(m.Headers, headers, read)
	return out, err
}
