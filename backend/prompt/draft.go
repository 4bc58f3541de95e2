package prompt

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/fault"
	"weft/backend/prelude"
)

// Said is what the user said in one message.
type Said struct {
	Text        string
	Attachments []Attachment
}

// Draft is a prompt that is being put together. It belongs to whoever has the lock of the space; [Draft.Blocks] reads it without that, when nobody
// changes it any more.
type Draft struct {
	Text        string
	Attachments []Attachment
	Again       *Said            // what it continues, for an agent that has forgotten it
	Prelude     *prelude.Prelude // what the agent learns before the prompt, nil for nothing
}

// Message is what the agent writes after the prompt, as [transcript.Fold] has it. Some agents repeat what they were sent.
type Message interface {
	ExpectPrelude(text string)
	ExpectEcho(text string)
	ExpectEchoes(blocks int)
	Note(sentence fault.Said)
}

// Precede adds what the agent learns before the prompt, nil for nothing, and notes that for the user. Lost says why it has forgotten the
// conversation, if it has.
func (d *Draft) Precede(p *prelude.Prelude, q prelude.Query, lost prelude.Loss, m Message) {
	if d.Prelude = p; p == nil {
		return
	}
	m.ExpectPrelude(p.Text)
	if words := p.Notice(q, lost); words != "" {
		m.Note(words)
	}
}

// Remind puts what was said last into the prompt, for an agent that has forgotten it. It reports false where there is no need for that.
func (d *Draft) Remind(m Message) bool {
	if d.Again == nil || d.Prelude != nil && d.Prelude.Messages && len(d.Again.Attachments) == 0 {
		return false // it has been told
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

// Blocks returns the prompt as the agent gets it, with what it learns before. Attachments that don't exist any more are left out and returned as missing,
// also with an error. It blocks for reads. Errors: unsupported where the agent can't take an attachment, not_found where nothing is left, and those of the
// store.
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

// NoteMissing notes for the user which attachments didn't go along.
func NoteMissing(list []Attachment, m Message) {
	for _, a := range list {
		m.Note(fault.Say("{{name}} no longer existed when the prompt was sent, so it wasn't attached.", a.Shown()))
	}
}

// Check returns an error of code unsupported if the agent says that it can't take an attachment.
func (ag Agent) Check(list []Attachment) error {
	if why := ag.Refuses(list); why != "" {
		return fault.Plain("unsupported", why)
	}
	return nil
}
