package mcptools

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	acp "github.com/coder/acp-go-sdk"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/clip"
	"weft/backend/builtin/tool"
	"weft/backend/conversation/transcript"
	"weft/backend/conversation/transcript/results"
	"weft/backend/llm"
)

// Limits of one result, in bytes. Text has the limits of package tool.
const (
	maxPicture  = 4 << 20
	maxMedia    = 12 << 20 // all images and documents
	maxBlocks   = 200
	maxRawFacts = 64 << 10
)

// answer collects a server's result.
type answer struct {
	text    strings.Builder
	media   []llm.Part
	content []acp.ToolCallContent // except the text
	size    int                   // of the media
}

// result converts the result of a call for the model and the user.
func result(env *tool.Env, server string, t *sdk.Tool, res *sdk.CallToolResult) (tool.Result, error) {
	var a answer
	for i, block := range res.Content {
		if i == maxBlocks {
			a.say(fmt.Sprintf("(%d more parts of the result were left out)", len(res.Content)-i))
			break
		}
		a.block(block)
	}
	facts := map[string]any{"server": server, "tool": clip.Text(t.Name, 200)}
	if structured, err := json.Marshal(res.StructuredContent); err == nil && res.StructuredContent != nil {
		if a.text.Len() == 0 { // otherwise the text has the same content
			a.say(string(structured))
		}
		if len(structured) <= maxRawFacts {
			facts["structuredContent"] = json.RawMessage(structured)
		}
	}
	text := strings.TrimSuffix(a.text.String(), "\n")
	if text == "" && len(a.media) == 0 {
		text = "(the tool returned nothing)"
	}
	var parts []llm.Part
	content := a.content
	if text != "" {
		parts = tool.ModelText(env, "mcp.txt", text)
		content = append(tool.ShownText(text), content...)
	}
	parts = append(parts, a.media...)
	retried, decided := res.Meta[transcript.RetriedMeta].(bool)
	if res.IsError {
		message := clip.Text(strings.TrimSpace(firstLine(text)), 300)
		return tool.Result{}, &tool.Error{Message: message, Parts: parts, Content: content, Output: facts, Retryable: !decided && repeats(t, text), Retried: retried}
	}
	line, n, counted := summary(res)
	return tool.Result{Parts: parts, Content: content, Summary: line, Count: n, Uncounted: !counted, Output: facts, Retried: retried}, nil
}

// summary returns a one-line summary of a result (see [results.Summarize]) and the number of results. counted is false
// if there is nothing to count.
func summary(res *sdk.CallToolResult) (line string, n int, counted bool) {
	raw, err := json.Marshal(res)
	if err != nil {
		return "", 0, false
	}
	line, found := results.Summarize("other", raw)
	if line == "" {
		line = "Returned nothing"
	}
	if found == nil {
		return line, 0, false
	}
	return line, *found, true
}

func (a *answer) say(s string) {
	if a.text.Len() < 2*maxMedia { // text that is too long for the model is kept, up to this size
		a.text.WriteString(strings.TrimSuffix(s, "\n") + "\n")
	}
}

func (a *answer) block(block sdk.Content) {
	switch c := block.(type) {
	case *sdk.TextContent:
		a.say(c.Text)
	case *sdk.ImageContent:
		a.binary("", c.MIMEType, c.Data)
	case *sdk.AudioContent:
		a.binary("", c.MIMEType, c.Data)
	case *sdk.ResourceLink:
		line := "Resource " + clip.Text(c.Name, 200) + ": " + clip.Text(c.URI, 2000)
		if c.Description != "" {
			line += " (" + clip.Text(c.Description, 500) + ")"
		}
		a.say(line)
	case *sdk.EmbeddedResource:
		if c.Resource == nil {
			return
		}
		uri := clip.Text(c.Resource.URI, 2000)
		if c.Resource.Blob != nil {
			a.binary(uri, c.Resource.MIMEType, c.Resource.Blob)
			return
		}
		a.say("Resource " + uri + ":\n" + c.Resource.Text)
	default:
		if raw, err := json.Marshal(block); err == nil {
			a.say("(content of an unknown type: " + clip.Text(string(raw), 500) + ")")
		}
	}
}

// binary adds data that isn't text if models can read it, or else a note about it.
func (a *answer) binary(uri, mime string, data []byte) {
	if uri != "" {
		a.say("Resource " + uri + ":")
	}
	a.size += len(data)
	fits := len(data) <= maxPicture && a.size <= maxMedia
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if fits {
			a.media = append(a.media, llm.Image{MIME: mime, Data: data})
			a.content = append(a.content, acp.ToolContent(acp.ImageBlock(base64.StdEncoding.EncodeToString(data), mime)))
			return
		}
	case "application/pdf":
		if fits {
			a.media = append(a.media, llm.File{Name: clip.Text(path.Base("/"+uri), 60), MIME: mime, Data: data})
			return
		}
	default:
		if strings.HasPrefix(mime, "audio/") && fits {
			a.content = append(a.content, acp.ToolContent(acp.AudioBlock(base64.StdEncoding.EncodeToString(data), clip.Text(mime, 100))))
		}
	}
	why := "models can't read it"
	if !fits {
		why = "it is too large"
	}
	a.say(fmt.Sprintf("(%d bytes of %s, which are left out: %s)", len(data), clip.Text(mime, 100), why))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
