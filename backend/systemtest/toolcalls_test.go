package systemtest

import (
	"os"
	"slices"
	"strings"
	"testing"

	about "weft/backend/api/service/app"
	"weft/backend/api/service/ref"
	"weft/backend/conversation/transcript"
	"weft/backend/settings"
)

// A call that an agent names in no known way is known by its arguments, and then named: rules hold for it, too.
func TestRulesHoldForCallsKnownByTheirArguments(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	put(t, settingsPath(home), `{"toolCalls":{"rules":[{"tool":"sendSpaceMessage","visibility":"hidden"}]}}`)
	a := launch(t, home)
	r := a.scripted(t, "caller")
	other := a.like(t, r)
	r.turn(t, wishes(wish{Tool: "sendSpaceMessage", As: "Have a look", Args: map[string]any{"spaceId": other.ID, "text": "Two laptops."}}), "end_turn")
	var m transcript.CompositeMessage
	r.do(t, "MessageParts", ref.MessageRef{SpaceID: r.id, MessageID: r.messages(t)[1].ID}, &m)
	for _, p := range m.Parts {
		if p.Type == "tool_call" && (p.Name != "sendSpaceMessage" || p.Derived || p.Looks != "hidden") {
			t.Errorf("%+v", p)
		}
	}
	r.check(t)
}

// Rules about calls say how these are drawn, those that were made before, too. The journal stays as it was.
func TestRulesSayHowCallsAreDrawn(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := settingsPath(home)
	put(t, path, `{"toolCalls":{"rules":[{"tool":"getMyRuns","visibility":"minimal"}]}}`)
	a := launch(t, home)
	r := a.scripted(t, "caller")
	r.turn(t, wishes(
		wish{Tool: "listSpaces"}, wish{Tool: "listSpaces", As: "weft-listSpaces"}, wish{Tool: "getMyRuns", As: "getMyRuns (weft MCP Server)"},
		wish{Tool: "readSpaceMessages", Args: map[string]any{"spaceId": "nowhere"}},
		wish{Tool: "showCard", Args: map[string]any{"title": "A card", "targetSpaceId": r.id}},
	), "end_turn")
	agent := r.messages(t)[1].ID
	parts := func() (got []string) {
		t.Helper()
		var m transcript.CompositeMessage
		r.do(t, "MessageParts", ref.MessageRef{SpaceID: r.id, MessageID: agent}, &m)
		for _, p := range m.Parts {
			if p.Type == "tool_call" {
				got = append(got, p.Looks+" "+p.Kind)
			}
		}
		return got
	}
	expect := func(when string, want ...string) {
		t.Helper()
		if got := parts(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	expect("by the file", "full other", "full other", "minimal other", "full other", "full display")

	var calls about.ToolCalls
	rule := settings.CallRule{Server: "weft", Tool: "listSpaces", Visibility: "hidden"}
	r.do(t, "SaveCallRule", about.SaveCallRuleRequest{Rule: rule}, &calls)
	r.do(t, "SaveCallRule", about.SaveCallRuleRequest{Rule: settings.CallRule{Tool: "readSpaceMessages", Visibility: "hidden"}}, &calls)
	if len(calls.Rules) != 3 || calls.Servers[0] != "weft" {
		t.Errorf("%+v", calls)
	}
	expect("by rules", "hidden other", "hidden other", "minimal other", "hidden other", "full display")
	_, rows := r.calls()
	for _, c := range rows {
		if c.Visibility != "" {
			t.Errorf("the journal has the visibility %q for %s", c.Visibility, c.ID)
		}
	}

	// Another agent that reads the space sees what the user sees.
	r.st.reset()
	r.turn(t, wishes(wish{Tool: "readSpaceMessages", Args: map[string]any{"spaceId": r.id}}), "end_turn")
	if text := r.agentText(); strings.Contains(text, "listSpaces: completed") || !strings.Contains(text, "getMyRuns") {
		t.Errorf("the agent reads %s", text)
	}

	r.do(t, "DrawSpaceTools", about.DrawSpaceToolsRequest{As: "displays"}, &calls)
	expect("as displays", "hidden other", "hidden other", "minimal other", "hidden other", "full display")

	changed := rule
	changed.Visibility = "full"
	r.do(t, "SaveCallRule", about.SaveCallRuleRequest{Was: &about.CallRuleRef{Tool: "readSpaceMessages"}, Rule: changed}, &calls)
	if want := []settings.CallRule{{Tool: "getMyRuns", Visibility: "minimal"}, changed}; !slices.Equal(calls.Rules, want) {
		t.Errorf("a rule that takes the place of two: %+v, want %+v", calls.Rules, want)
	}
	r.do(t, "RemoveCallRule", about.CallRuleRef{Tool: "getMyRuns"}, &calls)
	r.do(t, "RemoveCallRule", about.CallRuleRef{Server: "weft", Tool: "listSpaces"}, &calls)
	r.do(t, "DrawSpaceTools", about.DrawSpaceToolsRequest{As: "rows"}, &calls)
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "toolCalls") {
		t.Errorf("what is usual stands in the file: %s %v", text, err)
	}
	r.do(t, "DrawSpaceTools", about.DrawSpaceToolsRequest{As: "displays"}, &calls)
	expect("as displays, without rules", "full display", "full display", "full display", "full display", "full display")
	r.do(t, "DrawSpaceTools", about.DrawSpaceToolsRequest{As: "rows"}, &calls)
	expect("without rules", "full other", "full other", "full other", "full other", "full display")

	a.refused(t, "SaveCallRule", about.SaveCallRuleRequest{Rule: settings.CallRule{Tool: " ", Visibility: "full"}}, "invalid")
	a.refused(t, "SaveCallRule", about.SaveCallRuleRequest{Rule: settings.CallRule{Tool: "Read", Visibility: "gone"}}, "invalid")
	a.refused(t, "DrawSpaceTools", about.DrawSpaceToolsRequest{As: "cards"}, "invalid")
}
