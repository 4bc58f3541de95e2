package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

func TestRulesAboutCallsAreRead(t *testing.T) {
	s, _, problem := decode([]byte(`{"toolCalls":{"spaceTools":"displays","rules":[
		{"tool":"readSpaceMessages","server":"weft","visibility":"hidden"},
		{"agent":"claude","tool":"Read","visibility":"minimal","note":"mine"}]}}`))
	if problem != nil {
		t.Fatal(problem)
	}
	want := ToolCalls{SpaceTools: SpaceToolDisplays, Rules: []CallRule{
		{Server: "weft", Tool: "readSpaceMessages", Visibility: "hidden"}, {Agent: "claude", Tool: "Read", Visibility: "minimal"},
	}}
	if !s.ToolCalls.equal(want) {
		t.Errorf("read %+v", s.ToolCalls)
	}
	other := s.clone()
	if !other.equal(s) {
		t.Error("a copy is another one")
	}
	if other.ToolCalls.Rules[0].Visibility = "full"; other.equal(s) || s.ToolCalls.Rules[0].Visibility != "hidden" {
		t.Error("a rule makes no difference, or is shared with the copy")
	}
}

func TestInvalidToolCallRulesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"[]":                          "1:14: “toolCalls” must be an object",
		`{"spaceTools":"cards"}`:      `1:28: “spaceTools” is "cards"; it must be one of`,
		`{"rules":{}}`:                "1:23: “rules” must be a list",
		`{"rules":[1]}`:               "1:24: Each entry of “rules” must be an object",
		`{"rules":[{"tool":1}]}`:      "1:32: “tool” must be a text",
		`{"rules":[{}]}`:              "1:24: This rule needs a tool",
		`{"rules":[{"tool":" "}]}`:    "1:32: This rule needs a tool",
		`{"rules":[{"tool":"Read"}]}`: `1:24: The rule for the tool "Read" has the visibility ""; it must be hidden, minimal or full.`,
		"{\"rules\":[\n{\"tool\":\"Read\",\"visibility\":\"gone\"}]}":                                                      `2:29: The rule for the tool "Read" has the visibility "gone"`,
		"{\"rules\":[{\"tool\":\"a\",\"visibility\":\"full\"},\n{\"tool\":\"a\",\"visibility\":\"hidden\"}]}":              "2:1: Two rules are about the same calls",
		`{"rules":[{"tool":"` + strings.Repeat("x", maxCallName+1) + `","visibility":"full"}]}`:                            "The name of this rule is longer than 300 bytes.",
		`{"rules":[` + strings.TrimSuffix(strings.Repeat(`{"tool":"a","visibility":"full"},`, maxCallRules+1), ",") + `]}`: "There are 1001 rules about tool calls",
	} {
		_, _, problem := decode([]byte(`{"toolCalls":` + text + `}`))
		if problem == nil || !strings.Contains(problem.Error(), want) {
			t.Errorf("%.80s: %v, want %q", text, problem, want)
		}
	}
}

func TestRulesAboutCallsSurviveAWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(`{"toolCalls":{"why":"quiet","rules":[{"tool":"a","visibility":"hidden","note":"mine"},{"tool":"b","visibility":"full"}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Update(func(s *Settings) error { s.ToolCalls.Rules = s.ToolCalls.Rules[:1]; return nil }); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	for _, want := range []string{`"note": "mine"`, `"why": "quiet"`, `"tool": "a"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is gone:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), `"tool": "b"`) {
		t.Errorf("a removed rule is still there:\n%s", text)
	}
	if err := f.Update(func(s *Settings) error { s.ToolCalls.Rules[0].Visibility = "gone"; return nil }); err == nil {
		t.Error("a rule that cannot be was saved")
	}
}
