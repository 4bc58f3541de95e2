package builtin

import (
	"fmt"
	"path"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/guide"
)

// take turns the blocks of a prompt into a request for the provider and opens the session's folder.
func (t *turn) take(blocks []acp.ContentBlock) guide.Request {
	t.session.mu.Lock()
	cwd := t.session.cwd
	t.session.mu.Unlock()
	req := guide.Request{First: t.number == 1, Root: cwd, Folder: path.Base(strings.ReplaceAll(cwd, `\`, "/"))}
	t.folder, req.Problem = folder.Open(cwd)
	var text []string
	for _, block := range blocks {
		switch {
		case block.Text != nil:
			text = append(text, block.Text.Text)
		case block.ResourceLink != nil:
			t.link(&req, block.ResourceLink)
		case block.Resource != nil && block.Resource.Resource.TextResourceContents != nil:
			res := block.Resource.Resource.TextResourceContents
			req.Embedded = append(req.Embedded, guide.Embedded{Name: t.resourceName(res.Uri), Text: res.Text})
		default:
			req.Notices = append(req.Notices, "I can only use text and files, so I leave the attached image, sound or binary data aside.")
		}
	}
	req.Text = strings.TrimSpace(strings.Join(text, " "))
	return req
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

// resourceName is the name of embedded text as the person knows it.
func (t *turn) resourceName(uri string) string {
	if t.folder != nil {
		if rel, err := t.folder.Rel(uri); err == nil && !strings.Contains(rel, ":") {
			return rel
		}
	}
	return path.Base(uri)
}
