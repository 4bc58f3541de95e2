// Package callview decides how tool calls are drawn: in full, as one line, hidden, or as displays (decision 0027). The
// user's rules override what the tool itself asks for. They are applied when a call is drawn or read, and never written
// to the journal.
//
// frontend/src/transcript/looks.ts does the same in TypeScript; both are tested with the cases in testdata.
package callview

import (
	"slices"

	"weft/backend/conversation/transcript"
)

// Rule says how the calls of one tool are drawn.
type Rule struct {
	Agent      string `json:"agent"`  // the id of an agent; "" for any
	Server     string `json:"server"` // the MCP server of the tool, "weft" for the gateway; "" for an agent's own tools, and for Weft's by their names
	Tool       string `json:"tool"`
	Visibility string `json:"visibility"` // hidden, minimal, full
}

// Looks holds the user's rules and whether calls of the space tools are drawn as displays. The zero value changes
// nothing.
type Looks struct {
	Rules    []Rule
	Displays bool
}

// Of returns how an agent's call is drawn: its visibility, "" for full, and whether it is a display. parent says that
// the call has children. Calls that failed, wait, ran without being asked about, or have children are never hidden.
func (l Looks) Of(agent string, c *transcript.ToolCall, parent bool) (visibility string, display bool) {
	if c.Kind == transcript.KindDisplay {
		return "", true
	}
	visibility = c.Visibility
	if r := l.rule(agent, c); r != nil {
		visibility = r.Visibility
	}
	if visibility == transcript.VisibilityFull || visibility == transcript.VisibilityHidden && (parent || stays(c)) {
		visibility = ""
	}
	return visibility, visibility == "" && l.Displays && spaceTool(c.Name)
}

// stays reports whether a call is shown even if a rule hides it.
func stays(c *transcript.ToolCall) bool {
	return c.Status == transcript.StatusFailed || c.Status == transcript.StatusWaiting ||
		slices.ContainsFunc(c.Permissions, func(p transcript.Permission) bool { return p.Outcome == transcript.OutcomeUnasked })
}

// rule returns the most specific rule that matches a call, the first of several, or nil.
func (l Looks) rule(agent string, c *transcript.ToolCall) *Rule {
	var found *Rule
	most := -1
	for i := range l.Rules {
		r := &l.Rules[i]
		says := 0
		if r.Agent != "" {
			says += 2
		}
		if r.Server != "" {
			says++
		}
		if says > most && r.matches(agent, c) {
			found, most = r, says
		}
	}
	return found
}

// Apply sets the visibility and the kind of a message's calls to how they are drawn.
func (l Looks) Apply(m *transcript.Message) {
	if m.Role != transcript.RoleAgent {
		return
	}
	parents := map[string]bool{}
	for _, s := range m.Segments {
		parents[s.ParentToolCallID] = true
		for _, it := range s.Items {
			if parents[it.ParentToolCallID] = true; it.Call != nil {
				parents[it.Call.ParentID] = true
			}
		}
	}
	for _, s := range m.Segments {
		for _, it := range s.Items {
			if c := it.Call; c != nil {
				visibility, display := l.Of(m.Author.ID, c, parents[c.ID])
				if c.Visibility = visibility; display {
					c.Kind = transcript.KindDisplay
				}
			}
		}
	}
}
