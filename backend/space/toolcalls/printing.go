package toolcalls

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/settings/secret"
)

// Printing hides known secrets in the output of an agent's tools before it is shown or stored, even if they are split
// across updates. What the agent says and the input of its calls aren't changed (docs/decisions/0008-secrets.md). It
// is not safe for concurrent use.
type Printing struct {
	hide *secret.Redactor
	// streams are the calls whose output arrives in pieces.
	streams map[string]*secret.Stream
	// whole is the full output of calls whose end isn't shown yet, because it may be the beginning of a secret.
	whole map[string]transcript.ToolPatch
}

// NewPrinting returns the printing of a session. Without a redactor it hides nothing.
func NewPrinting(hide *secret.Redactor) *Printing { return &Printing{hide: hide} }

// Update hides secrets in an update of a call, in place.
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
	t.OutputDelta = s.NextText(t.OutputDelta)
	if ended {
		t.OutputDelta += string(s.End())
		delete(p.streams, t.ID)
	}
}

// text returns a text without secrets. short reports that its end was removed because it may be the beginning of a
// secret.
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

// output hides secrets in the strings of a value. Values can be large and rarely contain secrets, so v is returned
// unchanged if there are none, and only strings with unusual escapes are decoded.
func (p *Printing) output(v jsontext.Value, ended bool) (out jsontext.Value, short bool) {
	if ended && same(p.hide.Printed(v), v) {
		return v, false
	}
	done := 0 // length of the prefix of v that is in out
	for begin, end := range quoted(v) {
		raw := v[begin:end]
		if p.clean(raw[1:len(raw)-1], ended) {
			continue
		}
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return jsontext.Value(`"` + secret.Hidden + `"`), false // values from agents are well-formed
		}
		shown, cut := p.text(string(text), ended)
		short = short || cut
		if !cut && shown == string(text) {
			continue
		}
		out = append(out, v[done:begin]...)
		if out, err = jsontext.AppendQuote(out, shown); err != nil {
			return jsontext.Value(`"` + secret.Hidden + `"`), false
		}
		done = end
	}
	if done == 0 {
		return v, short
	}
	return append(out, v[done:]...), short
}

// clean reports whether a JSON-encoded string contains no secret and doesn't end with what may be the beginning of
// one. It returns false if letters or slashes may be escaped.
func (p *Printing) clean(raw []byte, ended bool) bool {
	if bytes.Contains(raw, []byte(`\u`)) || bytes.Contains(raw, []byte(`\/`)) {
		return false
	}
	if ended {
		return same(p.hide.Printed(raw), raw)
	}
	s := p.hide.Stream()
	return same(s.Next(raw), raw) && len(s.End()) == 0
}

// quoted yields the start and end of each string in a value, including its quotes.
func quoted(v []byte) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for at := 0; at < len(v); {
			begin := bytes.IndexByte(v[at:], '"')
			if begin < 0 {
				return
			}
			begin += at
			end := begin + 1
			for end < len(v) && v[end] != '"' {
				if v[end] == '\\' {
					end++
				}
				end++
			}
			if at = end + 1; at > len(v) || !yield(begin, at) {
				return
			}
		}
	}
}

// same reports whether out is the same slice as v.
func same(out, v []byte) bool { return len(out) == len(v) && (len(v) == 0 || &out[0] == &v[0]) }
