// Package toolserver opens the gateway, Weft's MCP server for agents, and implements its host: spaces, messages, runs,
// posts, displays and permissions.
package toolserver

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/agentproc"
	"weft/backend/callview"
	"weft/backend/fault"
	"weft/backend/gatecalls"
	"weft/backend/gatedrafts"
	"weft/backend/gateway"
	"weft/backend/gateway/tools"
	"weft/backend/runs"
	"weft/backend/service/problems"
	"weft/backend/service/searches"
	"weft/backend/settings"
	"weft/backend/store"
	"weft/backend/transcript"
)

// Options configures [Open].
type Options struct {
	Store    *store.Store
	Settings *settings.File
	Runs     func() *runs.Manager      // set later
	Searches func() *searches.Searches // set later
	Problems *problems.Problems
	Proxied  func() []gateway.ProxiedServer // the user's servers behind the gateway
	Looks    func() callview.Looks          // the user's rules about calls
	Changed  func()                         // called after something about those servers has changed
	DataDir  string
	Version  string
	Log      zerolog.Logger
}

// Server is the gateway with its host.
type Server struct {
	gateway  *gateway.Gateway // nil if it could not be opened
	settings *settings.File
	problems *problems.Problems
	log      zerolog.Logger
}

// Open opens the gateway. If that fails, it reports the problem, and agents work without the gateway's tools.
func Open(opt Options) *Server {
	s := &Server{settings: opt.Settings, problems: opt.Problems, log: opt.Log}
	g, err := gateway.Open(gateway.Options{
		Host: access{store: opt.Store, settings: opt.Settings, runs: opt.Runs, searches: opt.Searches, looks: opt.Looks}, Log: opt.Log, Version: opt.Version, PidDir: agentproc.PidDir(opt.DataDir),
		Socket: agentproc.GatewaySocket(opt.DataDir), Definitions: s.ownTools, Proxied: opt.Proxied, Changed: opt.Changed,
	})
	if err != nil {
		s.log.Error().Err(err).Msg("the gateway is not there")
		p := problems.Of("gateway", fault.Say("Agents can't show anything or write to other spaces: {{reason}}. Restart Weft.", err))
		s.problems.Set("gateway", &p)
		return s
	}
	s.gateway = g
	return s
}

// Gateway returns the gateway, nil if it could not be opened.
func (s *Server) Gateway() *gateway.Gateway { return s.gateway }

// ownTools returns the user's own tools: one JSON file each, in the folder tools next to the settings
// (docs/gateway.md). It reports a tool with a mistake as a problem and leaves it out.
func (s *Server) ownTools() []tools.Definition {
	list, wrong := tools.Load(filepath.Join(filepath.Dir(s.settings.Path()), "tools"))
	found := make([]problems.Problem, 0, len(wrong))
	for _, p := range wrong {
		one := problems.Of("tools", fault.Say("Couldn't load a custom tool. {{reason}}", p.Said))
		if p.Warning {
			one = problems.Of("tool_notice", p.Said)
		}
		one.Path, one.Line, one.Column = p.File, p.Line, p.Column
		found = append(found, one)
		s.log.Warn().Str("file", p.File).Int("line", p.Line).Bool("left out", !p.Warning).Msg("tool definition: " + p.Message)
	}
	s.problems.SetAll("tools", found)
	return list
}

// Close closes the gateway and its sessions.
func (s *Server) Close(ctx context.Context) error {
	if s.gateway == nil {
		return nil
	}
	return s.gateway.Close(ctx)
}

// Session returns the gateway's address and a token for a member's session. release invalidates the token. ok is false
// without a gateway.
func (s *Server) Session(spaceID, memberID, agentID string) (url, token string, release func(), ok bool) {
	if s.gateway == nil {
		return "", "", nil, false
	}
	url, token, release = s.gateway.Session(gateway.Caller{SpaceID: spaceID, MemberID: memberID, AgentID: agentID})
	return url, token, release, true
}

// Tool returns the gateway's tool for the name that an agent uses.
func (s *Server) Tool(called string) (gatecalls.Tool, bool) {
	if s.gateway == nil {
		return gatecalls.Tool{}, false
	}
	d, ok := s.gateway.Catalog().Called(called)
	return gatecalls.Tool{
		Name: d.Name, Title: gatedrafts.Named(d.Name), Visibility: d.Visibility, Acts: d.Acts(), Draws: d.DisplayTool, Draw: jsontext.Value(d.Drawn()), Exact: ok && s.gateway.Catalog().Exactly(called, d.Name),
		Takes: func(argument string) bool { return s.gateway.Catalog().Takes(d.Name, argument) }, Bare: withoutTarget(d),
	}, ok
}

// withoutTarget returns a function that removes the target space from a display tool's arguments, or nil for other tools.
func withoutTarget(d tools.Definition) func(jsontext.Value) jsontext.Value {
	if !d.DisplayTool {
		return nil
	}
	return func(arguments jsontext.Value) jsontext.Value {
		return jsontext.Value(tools.WithoutTarget(json.RawMessage(arguments)))
	}
}

// Repeatable returns the gateway's tool of a call, if Weft can run it.
func (s *Server) Repeatable(c *transcript.ToolCall) (tool string, ok bool) {
	if s.gateway == nil {
		return "", false
	}
	if c.Kind == transcript.KindDisplay {
		return c.Name, s.gateway.Catalog().Runs(c.Name)
	}
	for _, as := range []string{c.Name, c.Title} {
		if d, found := s.gateway.Catalog().Called(as); found && d.Acts() {
			return d.Name, true
		}
	}
	return "", false
}

// Repeat runs a tool again with the arguments of a call. The gateway must be open.
func (s *Server) Repeat(ctx context.Context, caller gateway.Caller, tool string, input jsontext.Value) (jsontext.Value, error) {
	out, err := s.gateway.Again(ctx, caller, tool, json.RawMessage(gatecalls.Arguments(input)))
	return jsontext.Value(out), err
}
