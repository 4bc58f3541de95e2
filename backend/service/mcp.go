package service

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/mcp"
	"weft/backend/runs"
	"weft/backend/settings"
	"weft/backend/transcript"
)

// MCPServer is an MCP server as the settings screen lists it. Of secrets it has references.
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
	// Troubles are sentences about what the gateway cannot pass on of it just now. Servers that agents are handed have
	// none.
	Troubles []string `json:"troubles"`
}

// MCPServerForm is an MCP server as a form gives it.
type MCPServerForm struct {
	Name          string                 `json:"name"`
	Type          string                 `json:"type" enum:"stdio,http,sse"`
	Command       string                 `json:"command"`
	Args          []string               `json:"args"`
	Env           map[string]string      `json:"env"`
	URL           string                 `json:"url"`
	Headers       map[string]string      `json:"headers"`
	SecretEnv     map[string]SecretInput `json:"secretEnv"`
	SecretHeaders map[string]SecretInput `json:"secretHeaders"`
	Disabled      bool                   `json:"disabled"`

	Via   string                      `json:"via,omitzero" enum:"direct,gateway"` // direct (also when empty), gateway
	Tools map[string]settings.MCPTool `json:"tools,omitzero"`
}

// The requests about MCP servers.
type (
	// SaveMCPServerRequest adds a server, or changes the one that was called Was.
	SaveMCPServerRequest struct {
		Was    string        `json:"was"`
		Server MCPServerForm `json:"server"`
	}
	// MCPServerRef names an MCP server.
	MCPServerRef struct {
		Name string `json:"name"`
	}
	// TestMCPServerRequest connects to a server: the one with Name, or one that is not saved yet.
	TestMCPServerRequest struct {
		Name   string         `json:"name,omitzero"`
		Server *MCPServerForm `json:"server,omitzero"`
	}
	// MCPTest is what connecting to a server has shown.
	MCPTest struct {
		OK         bool                `json:"ok"`
		Name       string              `json:"name"`
		Version    string              `json:"version"`
		Protocol   string              `json:"protocol"`
		Tools      []mcp.Tool          `json:"tools"`
		More       bool                `json:"more"`  // it has more tools than are listed
		Noise      string              `json:"noise"` // what it wrote to stdout that is no message
		DurationMs int64               `json:"durationMs"`
		Failure    *transcript.Failure `json:"failure"` // Detail holds the end of stderr
	}
)

// MCPServers answers the person's MCP servers in their order.
func (s *Service) MCPServers(context.Context, none) ([]MCPServer, error) {
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
		Via: cmp.Or(m.Via, settings.ViaDirect), Tools: some(m.Tools), Troubles: append([]string{}, troubles...),
		Env: some(m.Env), Headers: some(m.Headers), SecretEnv: some(m.SecretEnv), SecretHeaders: some(m.SecretHeaders),
	}
}

func some[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// SaveMCPServer adds or changes an MCP server. Sessions that are opened from now on are handed it; those that have the
// gateway have its tools at once.
func (s *Service) SaveMCPServer(ctx context.Context, req SaveMCPServerRequest) (MCPServer, error) {
	m, err := plainServer(&req.Server)
	if err != nil {
		return MCPServer{}, err
	}
	before := s.settings.Get()
	env, added, err := s.keep(ctx, "mcp-"+m.Name, req.Server.SecretEnv)
	if err == nil {
		var more []string
		m.SecretEnv = env
		m.SecretHeaders, more, err = s.keep(ctx, "mcp-"+m.Name, req.Server.SecretHeaders)
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
		s.forget(ctx, added...)
		return MCPServer{}, err
	}
	s.forgetDropped(ctx, before)
	s.news.Send(MCPServersEvent{})
	return mcpView(m, nil), nil
}

// plainServer is what a form says without its secrets. What is of another transport is taken out of the form.
func plainServer(f *MCPServerForm) (settings.MCPServer, error) {
	m := settings.MCPServer{
		Name: strings.TrimSpace(f.Name), Type: f.Type, Disabled: f.Disabled, Via: f.Via, Tools: maps.Clone(f.Tools),
	}
	if m.Via == settings.ViaDirect {
		m.Via = "" // what is usual need not stand in the file
	}
	maps.DeleteFunc(m.Tools, func(_ string, how settings.MCPTool) bool { return how == settings.MCPTool{} })
	if m.Name == "" {
		return m, invalid("Give the server a name.")
	}
	if len(m.Name) > 100 || strings.ContainsFunc(m.Name, func(r rune) bool { return r < ' ' }) {
		return m, invalid("The name is too long, or has a line end in it.")
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
			return m, invalid("The header " + name + " has a line end in it.")
		}
	}
	return m, nil
}

// RemoveMCPServer takes a server out. Its secrets are deleted at the next start, so that it can be
// undone: with SaveMCPServer and the references.
func (s *Service) RemoveMCPServer(ctx context.Context, req MCPServerRef) (none, error) {
	before := s.settings.Get()
	err := s.settings.Update(func(now *settings.Settings) error {
		n := len(now.MCPServers)
		now.MCPServers = slices.DeleteFunc(now.MCPServers, func(m settings.MCPServer) bool { return m.Name == req.Name })
		if len(now.MCPServers) == n {
			return &Error{Code: "not_found", Message: "There is no MCP server with this name any more."}
		}
		return nil
	})
	if err != nil {
		return none{}, err
	}
	s.forgetDropped(ctx, before)
	s.news.Send(MCPServersEvent{})
	return none{}, nil
}

// mcpDownload is how long a server may take whose command may have to download it first.
const mcpDownload = 3 * time.Minute

// TestMCPServer connects to a server and tells what it says about itself, or what went wrong. It blocks
// for 30 s at most (3 min where its command may have to download it first), and until nothing of the server is
// left. CancelTest calls it off.
func (s *Service) TestMCPServer(ctx context.Context, req TestMCPServerRequest) (MCPTest, error) {
	ctx, end := s.tests.start(ctx)
	defer end()
	began := time.Now()
	server, err := s.testedServer(ctx, req)
	var about mcp.About
	if err == nil {
		dir, homeErr := os.UserHomeDir()
		if homeErr != nil {
			dir = os.TempDir()
		}
		opt := mcp.Options{Version: s.opt.Version, Dir: dir, PidDir: filepath.Join(s.opt.DataDir, "processes")}
		if runs.Downloads(server.Command) {
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
		var gone *Error
		if errors.As(err, &gone) && gone.Code == "not_found" {
			return test, err
		}
		code, message, detail := Explain(err)
		hide := s.secrets.Redactor()
		test.Failure = &transcript.Failure{Code: code, Message: hide.Text(message), Detail: hide.Text(strings.TrimSpace(detail))}
	}
	return test, nil
}

// testedServer answers a server with its secrets; those of a form that are not kept yet are used as they are.
func (s *Service) testedServer(ctx context.Context, req TestMCPServerRequest) (mcp.Server, error) {
	form := req.Server
	if form == nil {
		list := s.settings.Get().MCPServers
		i := slices.IndexFunc(list, func(m settings.MCPServer) bool { return m.Name == req.Name })
		if i < 0 {
			return mcp.Server{}, &Error{Code: "not_found", Message: "There is no MCP server with this name any more."}
		}
		m := list[i]
		form = &MCPServerForm{
			Name: m.Name, Type: m.Type, Command: m.Command, Args: m.Args, Env: m.Env, URL: m.URL, Headers: m.Headers,
			SecretEnv: inputs(m.SecretEnv), SecretHeaders: inputs(m.SecretHeaders),
		}
	}
	if form.Name == "" {
		form.Name = "test"
	}
	m, err := plainServer(form)
	if err != nil {
		return mcp.Server{}, err
	}
	m.SecretEnv, m.SecretHeaders = refsOf(form.SecretEnv), refsOf(form.SecretHeaders)
	if err := settings.CheckServer(m); err != nil {
		return mcp.Server{}, err
	}
	return s.reach(ctx, m, form.SecretEnv, form.SecretHeaders)
}

// reach is how a server is reached, with its secrets, typed or kept.
func (s *Service) reach(ctx context.Context, m settings.MCPServer, env, headers map[string]SecretInput) (out mcp.Server, err error) {
	out = mcp.Server{Name: m.Name, Type: m.Type, Command: m.Command, Args: m.Args, URL: m.URL}
	read := runs.Reader(ctx, s.readSecret)
	if out.Env, err = s.fill(m.Env, env, read); err != nil {
		return out, err
	}
	out.Headers, err = s.fill(m.Headers, headers, read)
	return out, err
}

// fill answers plain values with those of a form, typed or kept.
func (s *Service) fill(plain map[string]string, form map[string]SecretInput, read func(string) (string, error)) (map[string]string, error) {
	kept, typed := map[string]string{}, maps.Clone(plain)
	if typed == nil {
		typed = map[string]string{}
	}
	for name, in := range form {
		if in.Value == "" {
			kept[name] = in.Ref
			continue
		}
		s.secrets.Redactor().Add(in.Value)
		typed[name] = in.Value
	}
	return runs.WithSecrets(typed, kept, read)
}

func inputs(refs map[string]string) map[string]SecretInput {
	out := map[string]SecretInput{}
	for name, ref := range refs {
		out[name] = SecretInput{Ref: ref}
	}
	return out
}

func refsOf(form map[string]SecretInput) map[string]string {
	out := map[string]string{}
	for name, in := range form {
		out[name] = in.Ref
	}
	return out
}
