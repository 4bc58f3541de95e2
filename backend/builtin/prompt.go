package builtin

import (
	"encoding/base64"
	"fmt"
	"path"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/llm"
)

// promptParts converts the blocks of a prompt to parts of a message, in order. It joins adjacent texts.
func promptParts(dir workdir, blocks []acp.ContentBlock) []llm.Part {
	var parts []llm.Part
	for _, b := range blocks {
		p := promptPart(dir, b)
		text, isText := p.(llm.Text)
		if n := len(parts); isText && n > 0 {
			if before, ok := parts[n-1].(llm.Text); ok {
				parts[n-1] = llm.Text{Text: before.Text + "\n\n" + text.Text}
				continue
			}
		}
		parts = append(parts, p)
	}
	return parts
}

func promptPart(dir workdir, b acp.ContentBlock) llm.Part {
	say := func(format string, args ...any) llm.Part { return llm.Text{Text: fmt.Sprintf(format, args...)} }
	switch {
	case b.Text != nil:
		return llm.Text{Text: b.Text.Text}
	case b.Image != nil:
		data, err := base64.StdEncoding.DecodeString(b.Image.Data)
		if err != nil {
			return say("(An attached picture can't be read: %v.)", err)
		}
		return llm.Image{MIME: b.Image.MimeType, Data: data}
	case b.ResourceLink != nil:
		return say("The user refers to %s (%s). Read it if it matters.", b.ResourceLink.Name, dir.resourceName(b.ResourceLink.Uri))
	case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
		r := b.Resource.Resource.TextResourceContents
		return say("<file path=%q>\n%s\n</file>", dir.resourceName(r.Uri), r.Text)
	case b.Resource != nil && b.Resource.Resource.BlobResourceContents != nil:
		r := b.Resource.Resource.BlobResourceContents
		data, err := base64.StdEncoding.DecodeString(r.Blob)
		if err != nil || r.MimeType == nil {
			return say("(%s was attached but can't be read.)", dir.resourceName(r.Uri))
		}
		if strings.HasPrefix(*r.MimeType, "image/") {
			return llm.Image{MIME: *r.MimeType, Data: data}
		}
		return llm.File{Name: path.Base(dir.resourceName(r.Uri)), MIME: *r.MimeType, Data: data}
	}
	return say("(An attachment of a type that can't be used, such as audio, was left out.)")
}

// isCompact reports whether a prompt is the /compact command.
func isCompact(blocks []acp.ContentBlock) bool {
	return len(blocks) == 1 && blocks[0].Text != nil && strings.TrimSpace(blocks[0].Text.Text) == "/compact"
}

// guideParts is promptParts for the offline guide. It returns one text, with files as @path, and then the other parts.
func guideParts(dir workdir, blocks []acp.ContentBlock) []llm.Part {
	var words []string
	var others []llm.Part
	mention := func(uri string) { words = append(words, fmt.Sprintf("@%q", dir.resourceName(uri))) }
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			words = append(words, b.Text.Text)
		case b.ResourceLink != nil:
			mention(b.ResourceLink.Uri)
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			mention(b.Resource.Resource.TextResourceContents.Uri)
		default:
			others = append(others, promptPart(dir, b))
		}
	}
	return append([]llm.Part{llm.Text{Text: strings.TrimSpace(strings.Join(words, " "))}}, others...)
}
