package runs

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/attachment"
	"weft/backend/store"
	"weft/backend/transcript"
	"weft/backend/workspace"
)

// Part is what goes along with the text of a prompt: a file or folder of the space's folder, or
// something that was handed in and is stored as a blob. Exactly one of Path and Blob is set.
type Part struct {
	Path string          `json:"path,omitzero"` // slash-separated; a folder ends with a slash
	Blob *transcript.Ref `json:"blob,omitzero"`
	Kind attachment.Kind `json:"kind,omitzero"` // of a blob
	Name string          `json:"name,omitzero"` // of a blob, as the person had it
}

// Prompt is what a person said in one go.
type Prompt struct {
	Text  string
	Parts []Part
}

// remind puts what was said last into a prompt for an agent that has forgotten it.
func (l *link) remind(r *run) {
	l.s.Lock()
	defer l.s.Unlock()
	if r.told != nil && r.told.Messages && len(r.again.Parts) == 0 {
		return // it has been told
	}
	if r.again.Text != "" {
		r.prompt += "\n\n" + r.again.Text
	}
	r.parts = append(r.parts, r.again.Parts...)
	r.fold.ExpectEcho(r.prompt)
	r.fold.ExpectEchoes(len(r.parts))
	r.fold.Note("Your last prompt was sent along once more.")
	l.s.pace(false)
}

// shown is the part as it stands in the person's message.
func (p Part) shown() transcript.Content {
	switch {
	case p.Blob == nil:
		return transcript.Content{Type: "resource_link", Path: p.Path}
	case p.Kind == attachment.Image, p.Kind == attachment.Audio:
		return transcript.Content{Type: string(p.Kind), Ref: p.Blob, Name: p.Name, Mime: p.Blob.Mime}
	}
	return transcript.Content{Type: "resource", Ref: p.Blob, Name: p.Name, Mime: p.Blob.Mime}
}

func shown(parts []Part) []transcript.Content {
	out := make([]transcript.Content, len(parts))
	for i, p := range parts {
		out[i] = p.shown()
	}
	return out
}

// PartOf is the part that stands in a person's message as c, as far as it can be sent again. What
// an agent has replayed names files by their addresses, as seen from folder.
func PartOf(c transcript.Content, folder string) (Part, bool) {
	if c.Path != "" {
		return Part{Path: c.Path}, true
	}
	if c.Ref != nil && (c.Type == "image" || c.Type == "audio" || c.Type == "resource") {
		p := Part{Blob: c.Ref, Kind: attachment.Text, Name: c.Name}
		if c.Type != "resource" {
			p.Kind = attachment.Kind(c.Type)
		} else if p.Name == "" {
			p.Name = path.Base(c.URI)
		}
		return p, true
	}
	if c.Type == "resource" || c.Type == "resource_link" {
		rel := workspace.Within(folder, c.URI)
		return Part{Path: rel}, rel != ""
	}
	return Part{}, false
}

// takes refuses parts that the agent says it cannot take. A part that is a path goes to every agent.
func takes(can Can, agent string, parts []Part) error {
	for _, p := range parts {
		refuse := ""
		switch {
		case p.Blob == nil:
		case p.Kind == attachment.Image && !can.Image:
			refuse = fmt.Sprintf("%s does not take images, so %s cannot be sent. Remove it, or choose another agent.", agent, p.name())
		case p.Kind == attachment.Audio && !can.Audio:
			refuse = fmt.Sprintf("%s does not take sound, so %s cannot be sent. Remove it, or choose another agent.", agent, p.name())
		case p.Kind == attachment.Text && !can.Embedded:
			refuse = fmt.Sprintf("%s takes files only from the space's folder. Put %s there and mention it with @.", agent, p.name())
		}
		if refuse != "" {
			return &Error{Code: "unsupported", Message: refuse}
		}
	}
	return nil
}

func (p Part) name() string {
	if p.Blob == nil {
		return attachment.Shown(p.Path)
	}
	return attachment.Shown(p.Name)
}

// admit refuses, before a prompt is sent or queued, what its agent cannot take. What an agent can
// take is known once it runs, so it is started if need be.
func (s *Session) admit(ctx context.Context, parts []Part) error {
	blobs := false
	for _, p := range parts {
		blobs = blobs || p.Blob != nil
	}
	s.Lock()
	loading := s.loading
	s.Unlock()
	if !blobs || loading { // then it is looked at when its turn comes
		return nil
	}
	l, err := s.linked(ctx)
	if err != nil {
		return err
	}
	return takes(canOf(l.caps.Capabilities), l.config.Name, parts)
}

// blocks are a prompt as the agent gets it: its text and, behind it, what goes along, each in the
// form that the agent takes. What is not there any more is left out, and a note in the answer says so.
func (l *link) blocks(ctx context.Context, r *run) ([]sdk.ContentBlock, error) {
	can := canOf(l.caps.Capabilities)
	if err := takes(can, l.config.Name, r.parts); err != nil {
		return nil, err
	}
	out := make([]sdk.ContentBlock, 0, 1+len(r.parts))
	if r.prompt != "" {
		out = append(out, sdk.TextBlock(r.prompt))
	}
	for _, p := range r.parts {
		block, err := l.block(ctx, p, can)
		var files *workspace.Error
		var storage *store.Error
		switch {
		case errors.As(err, &files):
			l.leftOut(r, p)
		case errors.As(err, &storage) && storage.Code == store.CodeNotFound:
			l.leftOut(r, p)
		case err != nil:
			return nil, err
		default:
			out = append(out, block)
		}
	}
	if len(out) == 0 {
		return nil, &Error{Code: "not_found", Message: "Nothing of this prompt is there any more, so there was nothing to send."}
	}
	return out, nil
}

func (l *link) leftOut(r *run, p Part) {
	l.s.Lock()
	defer l.s.Unlock()
	r.fold.Note(p.name() + " was not there any more when the prompt was sent, so it did not go along.")
	l.s.pace(false)
}

func (l *link) block(ctx context.Context, p Part, can Can) (sdk.ContentBlock, error) {
	if p.Blob == nil {
		return l.mention(p.Path, can)
	}
	data, _, err := l.s.m.opt.Store.Blobs.Bytes(ctx, p.Blob.Hash)
	if err != nil {
		return sdk.ContentBlock{}, err
	}
	switch p.Kind {
	case attachment.Image:
		return sdk.ImageBlock(base64.StdEncoding.EncodeToString(data), p.Blob.Mime), nil
	case attachment.Audio:
		return sdk.AudioBlock(base64.StdEncoding.EncodeToString(data), p.Blob.Mime), nil
	default:
		uri := url.URL{Scheme: "attachment", Path: "/" + attachment.Shown(p.Name)}
		return l.embedded(attachment.Shown(p.Name), uri.String(), string(data)), nil
	}
}

// mention is a file or folder of the space's folder: its text where the agent takes that and it
// is short enough, else a link.
func (l *link) mention(rel string, can Can) (sdk.ContentBlock, error) {
	info, err := l.files.Look(rel)
	if err != nil {
		return sdk.ContentBlock{}, err
	}
	if info.IsDir() && !strings.HasSuffix(rel, "/") {
		rel += "/"
	}
	uri := l.files.URI(rel)
	if can.Embedded && !info.IsDir() && info.Size() <= attachment.MaxText {
		text, err := l.files.ReadText(rel, 0, 0)
		if err == nil && len(text) <= attachment.MaxText && !strings.Contains(text, "\x00") {
			return l.embedded(rel, uri, text), nil
		}
	}
	block := sdk.ResourceLinkBlock(rel, uri)
	if !info.IsDir() {
		size := int(info.Size())
		block.ResourceLink.Size = &size
	}
	return block, nil
}

func resource(uri, text string) sdk.ContentBlock {
	mime := "text/plain"
	return sdk.ResourceBlock(sdk.EmbeddedResourceResource{TextResourceContents: &sdk.TextResourceContents{Uri: uri, MimeType: &mime, Text: text}})
}

// QueuedBlobs are the hashes of what goes along with the prompts that wait in a space.
func (m *Manager) QueuedBlobs(ctx context.Context, spaceID string) (map[string]bool, error) {
	snap, err := m.opt.Store.Pages.Snapshot(ctx, spaceID, 1)
	if err != nil {
		return map[string]bool{}, err
	}
	queue, err := m.storedQueue(ctx, spaceID, snap)
	hashes := map[string]bool{}
	for _, q := range queue {
		for _, p := range q.Parts {
			if p.Blob != nil {
				hashes[p.Blob.Hash] = true
			}
		}
	}
	return hashes, err
}
