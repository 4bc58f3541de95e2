package tools

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/agent/agentproc"
	"weft/backend/api/service/app"
	"weft/backend/api/service/searches"
	"weft/backend/base/fault"
	"weft/backend/conversation/callview"
	"weft/backend/conversation/transcript"
	"weft/backend/gateway"
	"weft/backend/gateway/tools"
	"weft/backend/settings"
	"weft/backend/space/gatecalls"
	"weft/backend/space/gatedrafts"
	"weft/backend/space/runs"
	"weft/backend/store"
)

// OwnServerOptions configures [OpenOwnServer].
type OwnServerOptions struct {
	Store    *store.Store
	Settings *settings.File
	Runs     func() *runs.Manager // set later
	Searches *searches.Searches
	Problems *app.Problems
	Servers  *UserServers          // gets the gateway
	Looks    func() callview.Looks // the user's rules about calls
	Changed  func()                // called after something about those servers has changed
	DataDir  string
	Version  string
	Log      zerolog.Logger
}

// OwnServer is the gateway with its host.
type OwnServer struct {
	gateway  *gateway.Gateway // nil if it could not be opened
	settings *settings.File
	problems *app.Problems
	log      zerolog.Logger
}

// OpenOwnServer opens the gateway. If that fails, it reports the problem, and agents work without the gateway's tools.
func OpenOwnServer(opt OwnServerOptions) *OwnServer {
	s := &OwnServer{settings: opt.Settings, problems: opt.Problems, log: opt.Log}
	g, err := gateway.Open(gateway.Options{
		Host: access{store: opt.Store, settings: opt.Settings, runs: opt.Runs, searches: opt.Searches, looks: opt.Looks}, Log: opt.Log, Version: opt.Version, PidDir: agentproc.PidDir(opt.DataDir),
		Socket: agentproc.GatewaySocket(opt.DataDir), Definitions: s.ownTools, Proxied: opt.Servers.proxied, Changed: opt.Changed,
	})
	if err != nil {
		s.log.Error().Err(err).Msg("the gateway is not there")
		p := app.ProblemOf("gateway", fault.Say("Agents can't show anything or write to other spaces: {{reason}}. Restart Weft.", err))
		s.problems.Set("gateway", &p)
		return s
	}
	s.gateway, opt.Servers.gateway = g, g
	return s
}

// ownTools returns the user's own tools: one JSON file each, in the folder tools next to the settings
// (docs/gateway.md). It reports a tool with a mistake as a problem and leaves it out.
func (s *OwnServer) ownTools() []tools.Definition {
	list, wrong := tools.Load(filepath.Join(filepath.Dir(s.settings.Path()), "tools"))
	found := make([]app.Problem, 0, len(wrong))
	for _, p := range wrong {
		one := app.ProblemOf("tools", fault.Say("Couldn't load a custom tool. {{reason}}", p.Said))
		if p.Warning {
			one = app.ProblemOf("tool_notice", p.Said)
		}
		one.Path, one.Line, one.Column = p.File, p.Line, p.Column
		found = append(found, one)
		s.log.Warn().Str("file", p.File).Int("line", p.Line).Bool("left out", !p.Warning).Msg("tool definition: " + p.Message)
	}
	s.problems.SetAll("tools", found)
	return list
}

// Close closes the gateway and its sessions.
func (s *OwnServer) Close(ctx context.Context) error {
	if s.gateway == nil {
		return nil
	}
	return s.gateway.Close(ctx)
}

// Session returns the gateway's address and a token for a member's session. release invalidates the token. ok is false
// without a gateway.
func (s *OwnServer) Session(spaceID, memberID, agentID string) (url, token string, release func(), ok bool) {
	if s.gateway == nil {
		return "", "", nil, false
	}
	url, token, release = s.gateway.Session(gateway.Caller{SpaceID: spaceID, MemberID: memberID, AgentID: agentID})
	return url, token, release, true
}

// Tool returns the gateway's tool for the name that an agent uses.
func (s *OwnServer) Tool(called string) (gatecalls.Tool, bool) {
	if s.gateway == nil {
		return gatecalls.Tool{}, false
	}
	d, ok := s.gateway.Catalog().Called(called)
	return gatecalls.Tool{
		Name: d.Name, Title: gatedrafts.Named(d.Name), Visibility: d.Visibility, Acts: d.Acts(), Draws: d.DisplayTool, Draw: jsontext.Value(d.Drawn()), Exact: ok && s.gateway.Catalog().Exactly(called, d.Name),
		Takes: func(argument string) bool { return s.gateway.Catalog().Takes(d.Name, argument) }, Bare: withoutTarget(d),
	}, ok
}

// withoutTarget returns a function that removes the target space from a display tool's arguments, or nil for other
// tools.
func withoutTarget(d tools.Definition) func(jsontext.Value) jsontext.Value {
	if !d.DisplayTool {
		return nil
	}
	return func(arguments jsontext.Value) jsontext.Value {
		return jsontext.Value(tools.WithoutTarget(json.RawMessage(arguments)))
	}
}

// Repeatable returns the gateway's tool of a call, if Weft can run it.
func (s *OwnServer) Repeatable(c *transcript.ToolCall) (tool string, ok bool) {
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
func (s *OwnServer) Repeat(ctx context.Context, caller gateway.Caller, tool string, input jsontext.Value) (jsontext.Value, error) {
	out, err := s.gateway.Again(ctx, caller, tool, json.RawMessage(gatecalls.Arguments(input)))
	return jsontext.Value(out), err
}
