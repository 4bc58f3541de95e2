package app

import (
	"context"
	"slices"
	"strings"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/conversation/callview"
	"weft/backend/settings"
)

// ToolCalls says how tool calls are drawn.
type ToolCalls struct {
	SpaceTools string              `json:"spaceTools" enum:"rows,displays"` // rows, displays
	Rules      []settings.CallRule `json:"rules"`
	// Servers are the names of the MCP servers, "weft" (the gateway) first.
	Servers []string `json:"servers"`
}

// The requests about how calls are drawn. Agent, server and tool identify a rule.
type (
	// SaveCallRuleRequest adds a rule, or replaces Was by it. It also replaces any rule about the same calls.
	SaveCallRuleRequest struct {
		Was  *CallRuleRef      `json:"was"`
		Rule settings.CallRule `json:"rule"`
	}
	// CallRuleRef names a rule.
	CallRuleRef struct {
		Agent  string `json:"agent"`
		Server string `json:"server"`
		Tool   string `json:"tool"`
	}
	// DrawSpaceToolsRequest says how calls of the space tools are drawn.
	DrawSpaceToolsRequest struct {
		As string `json:"as" enum:"rows,displays"` // rows, displays
	}
)

func (r CallRuleRef) names(o settings.CallRule) bool {
	return o.Same(settings.CallRule{Agent: r.Agent, Server: r.Server, Tool: r.Tool})
}

// ToolCalls returns how calls are drawn.
func (s *AppearanceSettings) ToolCalls(context.Context, command.None) (ToolCalls, error) {
	return ToolCallsOf(s.file.Get()), nil
}

// ToolCallsOf returns how calls are drawn with these settings.
func ToolCallsOf(now settings.Settings) ToolCalls {
	out := ToolCalls{SpaceTools: settings.SpaceToolRows, Rules: append([]settings.CallRule{}, now.ToolCalls.Rules...), Servers: []string{gatewayServer}}
	if now.ToolCalls.SpaceTools != "" {
		out.SpaceTools = now.ToolCalls.SpaceTools
	}
	for _, m := range now.MCPServers {
		if m.Name != gatewayServer {
			out.Servers = append(out.Servers, m.Name)
		}
	}
	return out
}

// gatewayServer is the name of Weft's own server.
const gatewayServer = "weft"

// Looks returns the user's current rules about calls.
func (s *AppearanceSettings) Looks() callview.Looks {
	now := s.file.Get().ToolCalls
	looks := callview.Looks{Displays: now.SpaceTools == settings.SpaceToolDisplays, Rules: make([]callview.Rule, len(now.Rules))}
	for i, r := range now.Rules {
		looks.Rules[i] = callview.Rule(r)
	}
	return looks
}

// SaveCallRule adds or changes a rule about calls. It applies at once, also to earlier calls.
func (s *AppearanceSettings) SaveCallRule(ctx context.Context, req SaveCallRuleRequest) (ToolCalls, error) {
	r := req.Rule
	r.Agent, r.Server, r.Tool = strings.TrimSpace(r.Agent), strings.TrimSpace(r.Server), strings.TrimSpace(r.Tool)
	if r.Tool == "" {
		return ToolCalls{}, fault.New(fault.Invalid, "Enter the name of a tool.")
	}
	if err := settings.CheckCallRule(r); err != nil {
		return ToolCalls{}, err
	}
	err := s.file.Update(func(now *settings.Settings) error {
		rules := &now.ToolCalls.Rules
		at := slices.IndexFunc(*rules, func(o settings.CallRule) bool {
			if req.Was != nil {
				return req.Was.names(o)
			}
			return o.Same(r)
		})
		if at < 0 {
			*rules = append(*rules, r)
			at = len(*rules) - 1
		}
		(*rules)[at] = r
		for i := len(*rules) - 1; i >= 0; i-- { // remove another rule about the same calls
			if i != at && (*rules)[i].Same(r) {
				*rules = slices.Delete(*rules, i, i+1)
				break
			}
		}
		return nil
	})
	return s.reread(ctx, err)
}

// RemoveCallRule removes a rule about calls. It is not an error if the rule doesn't exist.
func (s *AppearanceSettings) RemoveCallRule(ctx context.Context, req CallRuleRef) (ToolCalls, error) {
	err := s.file.Update(func(now *settings.Settings) error {
		now.ToolCalls.Rules = slices.DeleteFunc(now.ToolCalls.Rules, req.names)
		return nil
	})
	return s.reread(ctx, err)
}

// DrawSpaceTools sets whether calls of the space tools are drawn as rows or as displays.
func (s *AppearanceSettings) DrawSpaceTools(ctx context.Context, req DrawSpaceToolsRequest) (ToolCalls, error) {
	if req.As != settings.SpaceToolRows && req.As != settings.SpaceToolDisplays {
		return ToolCalls{}, fault.New(fault.Invalid, "Space tools can be drawn as rows or as displays.")
	}
	err := s.file.Update(func(now *settings.Settings) error {
		if now.ToolCalls.SpaceTools = req.As; req.As == settings.SpaceToolRows {
			now.ToolCalls.SpaceTools = "" // the file omits the default
		}
		return nil
	})
	return s.reread(ctx, err)
}

// reread returns how calls are drawn after a change, or the change's error.
func (s *AppearanceSettings) reread(ctx context.Context, err error) (ToolCalls, error) {
	if err != nil {
		return ToolCalls{}, err
	}
	return s.ToolCalls(ctx, command.None{})
}
