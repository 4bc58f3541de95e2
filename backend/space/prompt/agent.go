package prompt

import (
	"fmt"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/conversation/transcript"
)

// Agent describes the agent that gets a prompt.
type Agent struct {
	Name    string // the user's name for it
	Program string // its own name for itself
	// What its prompts may contain.
	Image, Audio bool
	Embedded     bool // the text of files
}

// reading is how an agent handles an embedded resource.
type reading int

const (
	readsUnknown reading = iota
	readsText            // its model gets the text
	readsName            // its model gets only the file's name
)

// readings are those of known agents, by a part of their Program. They were determined by what reached the model
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

// WithPrelude adds a prelude to a prompt; "" adds nothing. text is the prompt's text: if it is a slash command of the
// agent, it stays the first block, because agents recognize commands by their position.
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

// prelude returns the blocks before a prompt: an embedded resource if the agent's model is known to read it,
// otherwise text, which every agent passes on.
func (ag Agent) prelude(text string) []sdk.ContentBlock {
	if ag.Embedded && ag.reads() == readsText {
		return []sdk.ContentBlock{resource(transcript.PreludeURI, text), sdk.TextBlock(transcript.PreludeBridge)}
	}
	return []sdk.ContentBlock{sdk.TextBlock(text + "\n\n")} // some agents join blocks without a separator
}

// embedded returns an attached text file: a resource, or a text block if the agent would pass on only the resource's
// name.
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
