package prompt

import (
	"fmt"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/transcript"
)

// Agent is what has to be known of the agent that gets a prompt.
type Agent struct {
	Name    string // as the user calls it
	Program string // as it calls itself
	// What its prompts may carry.
	Image, Audio bool
	Embedded     bool // the text of files
}

// reading is what an agent makes of a resource that is embedded in a prompt.
type reading int

const (
	readsUnknown reading = iota
	readsText            // its model reads the text
	readsName            // its model is told a file's name only
)

// readings are those of known agents, by a part of the name that they call themselves. They were found out by what reached the model
// (docs/agents.md).
var readings = []struct {
	name string
	does reading
}{
	{"copilot", readsName},
	{"opencode", readsText},
	{"gemini", readsText},
	{"claude", readsText},
	{"codex", readsText},
	{"qwen", readsText},
	{"weft", readsText},
}

func (ag Agent) reads() reading {
	name := strings.ToLower(ag.Program)
	for _, one := range readings {
		if strings.Contains(name, one.name) {
			return one.does
		}
	}
	return readsUnknown
}

// WithPrelude returns a prompt with what the agent is told before it, "" for nothing. Text is that of the prompt: a command of the agent's, with
// a slash, is known by its position, so it stays the first block.
func (ag Agent) WithPrelude(prelude, text string, blocks []sdk.ContentBlock) []sdk.ContentBlock {
	if prelude == "" {
		return blocks
	}
	before := ag.prelude(prelude)
	if strings.HasPrefix(text, "/") {
		return slices.Insert(blocks, min(1, len(blocks)), before[0])
	}
	return append(before, blocks...)
}

// prelude returns the blocks before a prompt: embedded if the agent's model is known to read that, else as text, which every agent passes on.
func (ag Agent) prelude(text string) []sdk.ContentBlock {
	if ag.Embedded && ag.reads() == readsText {
		return []sdk.ContentBlock{resource(transcript.PreludeURI, text), sdk.TextBlock(transcript.PreludeBridge)}
	}
	return []sdk.ContentBlock{sdk.TextBlock(text + "\n\n")} // some agents join blocks with nothing between them
}

// embedded returns a file that is sent along with its text. If the agent would pass on only its name, it is a text that says what it is.
func (ag Agent) embedded(name, uri, text string) sdk.ContentBlock {
	if ag.reads() != readsName {
		return resource(uri, text)
	}
	return sdk.TextBlock(fmt.Sprintf("\n<file name=%q>\n%s\n</file>\n", name, strings.ReplaceAll(text, "</file>", "</ file>")))
}

func resource(uri, text string) sdk.ContentBlock {
	mime := "text/plain"
	return sdk.ResourceBlock(sdk.EmbeddedResourceResource{TextResourceContents: &sdk.TextResourceContents{Uri: uri, MimeType: &mime, Text: text}})
}
