package toolcalls

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/secret"
	"weft/backend/transcript"
)

// Printing hides known secrets in what an agent's tools print, before it is shown or stored, however it is cut into
// updates. What the agent says, and the input of its calls, stays as it was sent (docs/decisions/0008-secrets.md). It is not safe for concurrent use.
type Printing struct {
	hide *secret.Redactor
	// streams are the calls whose output comes in pieces.
	streams map[string]*secret.Stream
	// whole is what a call has printed so far, where the end of it is not shown because it may be the beginning of a
	// secret.
	whole map[string]transcript.ToolPatch
}

// NewPrinting returns the printing of a session. Without a redactor nothing is hidden.
func NewPrinting(hide *secret.Redactor) *Printing { return &Printing{hide: hide} }

// Update hides secrets in an update of a call, which it changes.
func (p *Printing) Update(t *transcript.ToolPatch) {
	if p.hide == nil {
		return
	}
	ended := t.Exit != nil || t.Status != nil && t.Status.Ended()
	p.piece(t, ended)
	if t.Error != nil {
		text := p.hide.PrintedText(*t.Error)
		t.Error = &text
	}
	before := p.whole[t.ID]
	if ended {
		delete(p.whole, t.ID)
		if t.Content == nil {
			t.Content = before.Content
		}
		if t.Output == nil {
			t.Output = before.Output
		}
	}
	var cut transcript.ToolPatch
	if t.Content != nil {
		all := *t.Content
		var short bool
		if t.Content, short = p.contents(all, ended); short {
			cut.Content = &all
		}
	}
	if t.Output != nil {
		all := t.Output
		var short bool
		if t.Output, short = p.output(all, ended); short {
			cut.Output = all
		}
	}
	if cut.Content != nil || cut.Output != nil {
		if p.whole == nil {
			p.whole = map[string]transcript.ToolPatch{}
		}
		p.whole[t.ID] = cut
	} else if t.Content != nil || t.Output != nil {
		delete(p.whole, t.ID)
	}
}

// piece hides secrets in a streamed piece.
func (p *Printing) piece(t *transcript.ToolPatch, ended bool) {
	s := p.streams[t.ID]
	if s == nil && t.OutputDelta == "" {
		return
	}
	if s == nil {
		if p.streams == nil {
			p.streams = map[string]*secret.Stream{}
		}
		s = p.hide.Stream()
		p.streams[t.ID] = s
	}
	t.OutputDelta = string(s.Next([]byte(t.OutputDelta)))
	if ended {
		t.OutputDelta += string(s.End())
		delete(p.streams, t.ID)
	}
}

// text returns a text without secrets, and whether its end was cut off because it may be the beginning of one.
func (p *Printing) text(text string, ended bool) (out string, short bool) {
	if ended {
		return p.hide.PrintedText(text), false
	}
	s := p.hide.Stream()
	out = s.NextText(text)
	return out, len(s.End()) > 0
}

func (p *Printing) contents(list []transcript.Content, ended bool) (out *[]transcript.Content, short bool) {
	shown := make([]transcript.Content, len(list))
	for i, c := range list {
		if c.Type == "text" || c.Type == "resource" {
			text, cut := p.text(c.Text, ended || i < len(list)-1)
			c.Text, short = text, short || cut
		}
		if c.Raw != nil {
			c.Raw, _ = p.output(c.Raw, true)
		}
		shown[i] = c
	}
	return &shown, short
}

// output hides secrets in the strings of a value.
func (p *Printing) output(v jsontext.Value, ended bool) (out jsontext.Value, short bool) {
	if ended && bytes.Equal(p.hide.Printed(v), v) {
		return v, false
	}
	var to bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	enc := jsontext.NewEncoder(&to, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			break // the end; a value that an agent sent is well-formed
		}
		if token.Kind() == '"' {
			text, cut := p.text(token.String(), ended)
			token, short = jsontext.String(text), short || cut
		}
		if enc.WriteToken(token) != nil {
			return jsontext.Value(`"` + secret.Hidden + `"`), false
		}
	}
	return jsontext.Value(bytes.TrimSpace(to.Bytes())), short
}
