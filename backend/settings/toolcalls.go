package settings

import (
	"slices"
	"strconv"
	"strings"
)

// ToolCalls is how tool calls are drawn.
type ToolCalls struct {
	// SpaceTools is how calls of the gateway's tools for spaces are drawn: SpaceToolRows (also if empty) or
	// SpaceToolDisplays.
	SpaceTools string     `json:"spaceTools,omitempty"`
	Rules      []CallRule `json:"rules,omitempty"`
}

// Values of ToolCalls.SpaceTools.
const (
	SpaceToolRows     = "rows"
	SpaceToolDisplays = "displays"
)

// CallRule is how the calls of one tool are drawn. backend/conversation/callview matches calls with rules.
type CallRule struct {
	Agent      string `json:"agent,omitempty"`  // id; "" for any
	Server     string `json:"server,omitempty"` // MCP server of the tool; "" for agents' own tools
	Tool       string `json:"tool"`
	Visibility string `json:"visibility" enum:"full,minimal,hidden"` // hidden, minimal, full
}

// Limits for the number of rules and the length of each text.
const (
	maxCallRules = 1000
	maxCallName  = 300
)

// Same reports whether two rules apply to the same calls.
func (r CallRule) Same(o CallRule) bool {
	return r.Agent == o.Agent && r.Server == o.Server && r.Tool == o.Tool
}

func (t ToolCalls) clone() ToolCalls {
	if t.Rules = slices.Clone(t.Rules); len(t.Rules) == 0 {
		t.Rules = nil // so that the file has no empty list
	}
	return t
}

func (t ToolCalls) equal(o ToolCalls) bool {
	return t.SpaceTools == o.SpaceTools && slices.Equal(t.Rules, o.Rules)
}

func (d *decoder) toolCalls(n *node, into *ToolCalls) {
	if !d.object(n, field{key: "toolCalls"}) {
		return
	}
	d.text(n.get("spaceTools"), "spaceTools", &into.SpaceTools)
	rules := n.get("rules")
	if !d.array(rules, "rules") {
		return
	}
	for _, item := range rules.items {
		var r CallRule
		if d.object(item, field{"rules", true}) {
			d.text(item.get("agent"), "agent", &r.Agent)
			d.text(item.get("server"), "server", &r.Server)
			d.text(item.get("tool"), "tool", &r.Tool)
			d.text(item.get("visibility"), "visibility", &r.Visibility)
		}
		into.Rules = append(into.Rules, r)
	}
}

// CheckCallRule checks one rule. The error is a *Problem without a position, or nil.
func CheckCallRule(r CallRule) error {
	d := &decoder{}
	d.checkToolCalls(ToolCalls{Rules: []CallRule{r}}, nil)
	if d.problem != nil {
		return invalid(d.problem.without(""))
	}
	return nil
}

// checkToolCalls checks the rules about calls.
func (d *decoder) checkToolCalls(t ToolCalls, n *node) {
	d.oneOf(n.get("spaceTools"), "spaceTools", t.SpaceTools, []string{"", SpaceToolRows, SpaceToolDisplays})
	if len(t.Rules) > maxCallRules {
		d.fail(n.get("rules"), "There are {{n}} rules about tool calls; the limit is {{max}}.", len(t.Rules), maxCallRules)
		return
	}
	seen := map[CallRule]bool{}
	for i, r := range t.Rules {
		var item *node
		if list := n.get("rules"); list != nil && i < len(list.items) {
			item = list.items[i]
		}
		at := func(key string) *node {
			if v := item.get(key); v != nil {
				return v
			}
			return item
		}
		key := CallRule{Agent: r.Agent, Server: r.Server, Tool: r.Tool}
		switch {
		case strings.TrimSpace(r.Tool) == "":
			d.fail(at("tool"), "This rule needs a tool: the name of the tool that it covers.")
		case len(r.Tool) > maxCallName || len(r.Server) > maxCallName || len(r.Agent) > maxCallName:
			d.fail(item, "The name of this rule is longer than {{max}} bytes.", maxCallName)
		case !slices.Contains(visibilities[1:], r.Visibility):
			d.fail(at("visibility"), "The rule for the tool {{tool}} has the visibility {{visibility}}; it must be hidden, minimal or full.", strconv.Quote(r.Tool), strconv.Quote(r.Visibility))
		case seen[key]:
			d.fail(item, "Two rules are about the same calls of the tool {{tool}}. Remove one of them.", strconv.Quote(r.Tool))
		}
		seen[key] = true
	}
}
