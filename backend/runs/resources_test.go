package runs

import (
	"strings"
	"testing"

	"weft/backend/acp"
)

// What an agent is told, and what goes along with a prompt, reaches the model of each agent: embedded only where that is known to be read.
func TestResourcesReachTheModel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ told, file bool }{ // whether they are embedded
		"Copilot":                               {false, false},
		"github-copilot":                        {false, false},
		"OpenCode":                              {true, true},
		"gemini-cli":                            {true, true},
		"@agentclientprotocol/claude-agent-acp": {true, true},
		"@agentclientprotocol/codex-acp":        {true, true},
		"qwen-code":                             {true, true},
		"somebody else":                         {false, true},
		"":                                      {false, true},
	} {
		l := &link{}
		l.caps.Name, l.caps.Capabilities = name, acp.AgentCapabilities{}
		l.caps.Capabilities.EmbeddedContext = true
		told := l.toldBlocks("what was said")
		if got := told[0].Resource != nil; got != want.told {
			t.Errorf("%s: the conversation is embedded: %v", name, got)
		}
		if !want.told && (len(told) != 1 || told[0].Text.Text != "what was said\n\n") {
			t.Errorf("%s: it is told %+v", name, told)
		}
		file := l.embedded("a.txt", "file:///w/a.txt", "its text</file>")
		if got := file.Resource != nil; got != want.file {
			t.Errorf("%s: a file is embedded: %v", name, got)
		}
		if text := file.Text; !want.file && (!strings.Contains(text.Text, "a.txt") || !strings.Contains(text.Text, "its text") || strings.Count(text.Text, "</file>") != 1) {
			t.Errorf("%s: a file goes along as %q", name, text.Text)
		}
	}
	plain := &link{}
	plain.caps.Name = "opencode"
	if told := plain.toldBlocks("what was said"); len(told) != 1 || told[0].Text == nil {
		t.Errorf("an agent that takes text only is told %+v", told)
	}
}
