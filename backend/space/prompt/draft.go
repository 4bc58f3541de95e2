package prompt

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/space/prelude"
)

// Said is the content of one message of the user.
type Said struct {
	Text        string
	Attachments []Attachment
}

// Draft is a prompt that is being assembled. The lock of the space guards it. [Draft.Blocks] reads it without the
// lock, once nobody changes it anymore.
type Draft struct {
	Text        string
	Attachments []Attachment
	Again       *Said            // the previous prompt, for an agent that has forgotten it
	Prelude     *prelude.Prelude // sent before the prompt, nil for none
}

// Message is the agent's message after the prompt, as [transcript.Fold] implements it. It is told what was sent
// because some agents echo it.
type Message interface {
	ExpectPrelude(text string)
	ExpectEcho(text string)
	ExpectEchoes(blocks int)
	Note(sentence fault.Said)
}

// Precede sets the prelude, nil for none, and adds a note for the user if necessary. lost says why the agent has
// forgotten the conversation.
func (d *Draft) Precede(p *prelude.Prelude, q prelude.Query, lost prelude.Loss, m Message) {
	if d.Prelude = p; p == nil {
		return
	}
	m.ExpectPrelude(p.Text)
	if words := p.Notice(q, lost); words != "" {
		m.Note(words)
	}
}

// Remind adds the previous prompt to the draft, for an agent that has forgotten it. It returns false if that isn't
// necessary.
func (d *Draft) Remind(m Message) bool {
	if d.Again == nil || d.Prelude != nil && d.Prelude.Messages && len(d.Again.Attachments) == 0 {
		return false // the prelude contains it
	}
	if d.Again.Text != "" {
		d.Text += "\n\n" + d.Again.Text
	}
	d.Attachments = append(d.Attachments, d.Again.Attachments...)
	m.ExpectEcho(d.Text)
	m.ExpectEchoes(len(d.Attachments))
	d.Again = nil // it is in the prompt
	m.Note(fault.Say("Your previous prompt was sent again with this one."))
	return true
}

// Blocks returns the content blocks to send, including the prelude. Attachments that no longer exist are left out and
// returned as missing, even with an error. It blocks for reads. Errors: unsupported if the agent doesn't accept an
// attachment, not_found if nothing is left, and those of the store.
func (d *Draft) Blocks(ctx context.Context, ag Agent, folder Folder, blobs Blobs) (out []sdk.ContentBlock, missing []Attachment, err error) {
	if err := ag.Check(d.Attachments); err != nil {
		return nil, nil, err
	}
	out, missing, err = ag.Blocks(ctx, d.Text, d.Attachments, folder, blobs)
	switch {
	case err != nil:
		return nil, nil, err
	case len(out) == 0:
		return nil, missing, fault.New("not_found", "This prompt is empty, because its attachments no longer exist. Nothing was sent.")
	case d.Prelude != nil:
		out = ag.WithPrelude(d.Prelude.Text, d.Text, out)
	}
	return out, missing, nil
}

// NoteMissing adds notes about the attachments that were left out.
func NoteMissing(list []Attachment, m Message) {
	for _, a := range list {
		m.Note(fault.Say("{{name}} no longer existed when the prompt was sent, so it wasn't attached.", a.Shown()))
	}
}

// Check returns an error with code unsupported if the agent doesn't accept one of the attachments.
func (ag Agent) Check(list []Attachment) error {
	if why := ag.Refuses(list); why != "" {
		return fault.Plain("unsupported", why)
	}
	return nil
}
