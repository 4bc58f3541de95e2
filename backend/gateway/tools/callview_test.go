package tools

import (
	"slices"
	"testing"

	"weft/backend/conversation/callview"
	"weft/backend/conversation/transcript"
)

// Rules about calls know every tool of the gateway by its name alone, and which of them are for spaces.
func TestRulesMatchGatewayTools(t *testing.T) {
	looks := func(tool string, displays bool) (string, bool) {
		l := callview.Looks{Rules: []callview.Rule{{Tool: tool, Visibility: transcript.VisibilityMinimal}}, Displays: displays}
		if displays {
			l.Rules = nil
		}
		return l.Of("any", &transcript.ToolCall{Name: "gate_" + tool, Status: transcript.StatusCompleted}, false)
	}
	for _, tool := range ReservedNames() {
		if visibility, _ := looks(tool, false); visibility != transcript.VisibilityMinimal {
			t.Errorf("a rule without a server doesn't hold for %s", tool)
		}
		_, display := looks(tool, true)
		if of := slices.Contains(spaceToolNames, tool); display != of {
			t.Errorf("%s is drawn as a display: %t, and is a space tool: %t", tool, display, of)
		}
	}
	if visibility, _ := looks("orderStatus", false); visibility != "" {
		t.Error("a tool of the user's own is known by its name alone")
	}
}
