package builtin

import (
	"encoding/base64"
	"fmt"
	"path"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/guide"
	"weft/backend/builtin/guidemodel"
	"weft/backend/builtin/loop"
	"weft/backend/llm"
)

// take turns the blocks of a prompt into parts of a message, in their order. Text that stands beside text is joined.
func (t *turn) take(blocks []acp.ContentBlock) []llm.Part {
	if t.agent.brain.offline() {
		return t.takeForGuide(blocks)
	}
	var parts []llm.Part
	for _, b := range blocks {
		p := t.part(b)
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

func (t *turn) part(b acp.ContentBlock) llm.Part {
	say := func(format string, args ...any) llm.Part { return llm.Text{Text: fmt.Sprintf(format, args...)} }
	switch {
	case b.Text != nil:
		return llm.Text{Text: b.Text.Text}
	case b.Image != nil:
		data, err := base64.StdEncoding.DecodeString(b.Image.Data)
		if err != nil {
			return say("(A picture was attached that cannot be read: %v.)", err)
		}
		return llm.Image{MIME: b.Image.MimeType, Data: data}
	case b.ResourceLink != nil:
		return say("The person refers to %s (%s). Read it if it matters.", b.ResourceLink.Name, t.resourceName(b.ResourceLink.Uri))
	case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
		r := b.Resource.Resource.TextResourceContents
		return say("<file path=%q>\n%s\n</file>", t.resourceName(r.Uri), r.Text)
	case b.Resource != nil && b.Resource.Resource.BlobResourceContents != nil:
		r := b.Resource.Resource.BlobResourceContents
		data, err := base64.StdEncoding.DecodeString(r.Blob)
		if err != nil || r.MimeType == nil {
			return say("(%s was attached and cannot be read.)", t.resourceName(r.Uri))
		}
		if strings.HasPrefix(*r.MimeType, "image/") {
			return llm.Image{MIME: *r.MimeType, Data: data}
		}
		return llm.File{Name: path.Base(t.resourceName(r.Uri)), MIME: *r.MimeType, Data: data}
	}
	return say("(Something was attached that cannot be used, such as sound.)")
}

// resourceName is the path of a resource as the tools take it, or its address if it is not in the folder.
func (t *turn) resourceName(uri string) string {
	if t.folder != nil {
		if rel, err := t.folder.Rel(uri); err == nil && !strings.Contains(rel, ":") {
			return rel
		}
	}
	return uri
}

// wantsCompact reports whether a prompt is the command that shortens the conversation.
func (t *turn) wantsCompact(blocks []acp.ContentBlock) bool {
	return !t.agent.brain.offline() && len(blocks) == 1 && blocks[0].Text != nil && strings.TrimSpace(blocks[0].Text.Text) == "/compact"
}

func (t *turn) compact() (loop.Outcome, error) {
	done, err := t.runner.Shorten(t.ctx, &t.session.view)
	if err == nil && !done {
		t.Delta(llm.Delta{Kind: llm.DeltaText, Text: "There is nothing to summarise yet."})
	}
	return loop.Outcome{End: loop.EndTurn}, err
}

// takeForGuide is take for the offline guide, which is told about files and texts apart.
func (t *turn) takeForGuide(blocks []acp.ContentBlock) []llm.Part {
	cwd := t.session.folder()
	req := guide.Request{First: t.number == 1, Root: cwd, Folder: path.Base(strings.ReplaceAll(cwd, `\`, "/")), Problem: t.problem}
	var said []string
	var parts []llm.Part
	for _, b := range blocks {
		parts = append(parts, t.part(b))
		switch {
		case b.Text != nil:
			said = append(said, b.Text.Text)
		case b.ResourceLink != nil:
			t.link(&req, b.ResourceLink)
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			req.Embedded = append(req.Embedded, guide.Embedded{Name: t.embeddedName(r.Uri), Text: r.Text})
		default:
			req.Notices = append(req.Notices, "I can only use text and files, so I leave the attached image, sound or binary data aside.")
		}
	}
	req.Text = strings.TrimSpace(strings.Join(said, " "))
	return guidemodel.Prompt(parts, req)
}

func (t *turn) link(req *guide.Request, link *acp.ContentBlockResourceLink) {
	if t.folder == nil {
		return
	}
	if scheme, _, ok := strings.Cut(link.Uri, "://"); ok && scheme != "file" {
		req.Notices = append(req.Notices, fmt.Sprintf("I work offline, so I do not open the link “%s”.", link.Name))
		return
	}
	rel, err := t.folder.Rel(link.Uri)
	if err != nil {
		req.Notices = append(req.Notices, fmt.Sprintf("“%s” lies outside this folder, so I leave it alone.", link.Name))
		return
	}
	req.Files = append(req.Files, rel)
}

// embeddedName is the name of an embedded text as the person knows it.
func (t *turn) embeddedName(uri string) string {
	if name := t.resourceName(uri); name != uri {
		return name
	}
	return path.Base(uri)
}
