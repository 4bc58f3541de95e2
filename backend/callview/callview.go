// Package callview decides how calls of tools are drawn: in full, as one line, hidden, or as displays (decision 0027). Rules of the
// user's decide over what a call's own tool says. They are applied where a call is drawn or read, and never written to the journal.
//
// frontend/src/transcript/looks.ts is the same in TypeScript; both are held to the cases in testdata.
package callview

import (
	"slices"

	"weft/backend/transcript"
)

// Rule says how the calls of one tool are drawn.
type Rule struct {
	Agent      string `json:"agent"`  // the id of an agent; "" for any
	Server     string `json:"server"` // the MCP server of the tool, "weft" for the gateway; "" for an agent's own tools, and for Weft's by their names
	Tool       string `json:"tool"`
	Visibility string `json:"visibility"` // hidden, minimal, full
}

// Looks are the rules of a user, and whether calls of the space tools are drawn as displays. The zero value changes nothing.
type Looks struct {
	Rules    []Rule
	Displays bool
}

// Of returns how a call of an agent is drawn: its visibility, "" for in full, and whether it is a display. parent says that something
// is under the call. What failed, waits, was not asked about or has something under it is never hidden.
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

// stays reports whether a call is shown even if it is hidden.
func stays(c *transcript.ToolCall) bool {
	return c.Status == transcript.StatusFailed || c.Status == transcript.StatusWaiting ||
		slices.ContainsFunc(c.Permissions, func(p transcript.Permission) bool { return p.Outcome == transcript.OutcomeUnasked })
}

// rule is the rule that holds for a call: of those that match, the first that says most. nil if there is none.
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

// Apply writes into the calls of a message how they are drawn.
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
