package prompt

import (
	"cmp"
	"path"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/files/attachment"
	"weft/backend/files/workspace"
)

// Attachment is sent with the text of a prompt: a file or folder of the space's folder, or a blob that the user has
// attached. Exactly one of Path and Blob is set.
type Attachment struct {
	Path string          `json:"path,omitzero"` // slash-separated; a folder ends with a slash
	Blob *transcript.Ref `json:"blob,omitzero"`
	Kind attachment.Kind `json:"kind,omitzero"` // of a blob
	Name string          `json:"name,omitzero"` // of a blob: its original file name
}

// Content returns the attachment in the form shown in the user's message.
func (a Attachment) Content() transcript.Content {
	switch {
	case a.Blob == nil:
		return transcript.Content{Type: "resource_link", Path: a.Path}
	case a.Kind == attachment.Image, a.Kind == attachment.Audio:
		return transcript.Content{Type: string(a.Kind), Ref: a.Blob, Name: a.Name, Mime: a.Blob.Mime}
	}
	return transcript.Content{Type: "resource", Ref: a.Blob, Name: a.Name, Mime: a.Blob.Mime}
}

// Contents returns attachments in the form shown in the user's message.
func Contents(list []Attachment) []transcript.Content {
	out := make([]transcript.Content, len(list))
	for i, a := range list {
		out[i] = a.Content()
	}
	return out
}

// Of returns the attachment shown as c in a user's message. ok is false if it can't be sent again. Agents that replay
// a message refer to files by URI; those are resolved relative to folder.
func Of(c transcript.Content, folder string) (a Attachment, ok bool) {
	if c.Path != "" {
		return Attachment{Path: c.Path}, true
	}
	if c.Ref != nil && (c.Type == "image" || c.Type == "audio" || c.Type == "resource") {
		a := Attachment{Blob: c.Ref, Kind: attachment.Text, Name: c.Name}
		if c.Type != "resource" {
			a.Kind = attachment.Kind(c.Type)
		} else if a.Name == "" {
			a.Name = path.Base(c.URI)
		}
		return a, true
	}
	if c.Type == "resource" || c.Type == "resource_link" {
		rel := workspace.Within(folder, c.URI)
		return Attachment{Path: rel}, rel != ""
	}
	return Attachment{}, false
}

// Shown returns the name of the attachment for use in a sentence.
func (a Attachment) Shown() string {
	if a.Blob == nil {
		return attachment.Shown(a.Path)
	}
	return attachment.Shown(a.Name)
}

// Refuses returns an error message for the first attachment that the agent doesn't accept, or "". Every agent accepts
// paths.
func (ag Agent) Refuses(list []Attachment) string {
	for _, a := range list {
		switch {
		case a.Blob == nil:
		case a.Kind == attachment.Image && !ag.Image:
			return fault.Text("{{agent}} doesn't accept images, so {{name}} can't be sent. Remove it, or choose another agent.", ag.Name, a.Shown())
		case a.Kind == attachment.Audio && !ag.Audio:
			return fault.Text("{{agent}} doesn't accept audio, so {{name}} can't be sent. Remove it, or choose another agent.", ag.Name, a.Shown())
		case a.Kind == attachment.Text && !ag.Embedded:
			return fault.Text("{{agent}} only accepts files from the space's folder. Put {{name}} there and mention it with @.", ag.Name, a.Shown())
		}
	}
	return ""
}

// WithNames appends the names of the attachments to a text, for readers that don't get the attachments.
func WithNames(text string, list []Attachment) string {
	for _, a := range list {
		text += "\n\n[attached: " + attachment.Shown(cmp.Or(a.Path, a.Name)) + "]"
	}
	return strings.TrimSpace(text)
}
