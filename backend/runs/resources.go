package runs

import (
	"fmt"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/transcript"
)

// handing is what an agent makes of a resource that is embedded in a prompt.
type handing int

const (
	handsUnknown handing = iota
	handsText            // its model reads the text
	handsName            // its model is told a file's name only
)

// handings are those of known agents, by a part of the name that they tell of themselves. They were found out by what reached the model
// (docs/agents.md).
var handings = []struct {
	name string
	does handing
}{
	{"copilot", handsName},
	{"opencode", handsText},
	{"gemini", handsText},
	{"claude", handsText},
	{"codex", handsText},
	{"qwen", handsText},
	{"weft", handsText},
}

// handingOf is what an agent of that name makes of an embedded resource.
func handingOf(name string) handing {
	name = strings.ToLower(name)
	for _, one := range handings {
		if strings.Contains(name, one.name) {
			return one.does
		}
	}
	return handsUnknown
}

// toldBlocks are the conversation that an agent is told: embedded where its model is known to read that, else as text, which every agent hands on.
func (l *link) toldBlocks(text string) []sdk.ContentBlock {
	if l.caps.Capabilities.EmbeddedContext && handingOf(l.caps.Name) == handsText {
		return []sdk.ContentBlock{resource(transcript.ToldURI, text), sdk.TextBlock(transcript.ToldBridge)}
	}
	return []sdk.ContentBlock{sdk.TextBlock(text + "\n\n")} // some agents join blocks with nothing between them
}

// embedded is a file that goes along with a prompt with its text. Where the agent would hand on its name only, it is a text that says what it is.
func (l *link) embedded(name, uri, text string) sdk.ContentBlock {
	if handingOf(l.caps.Name) != handsName {
		return resource(uri, text)
	}
	return sdk.TextBlock(fmt.Sprintf("\n<file name=%q>\n%s\n</file>\n", name, strings.ReplaceAll(text, "</file>", "</ file>")))
}
