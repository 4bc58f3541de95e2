package toolcalls

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/partialjson"
	"weft/backend/conversation/transcript"
)

// maxWritten limits how many bytes of arguments are read while an agent writes them. Longer ones stay content.
const maxWritten = 4 << 20

// Written reads the arguments of calls that an agent shows as content while its model writes them, as kimi does: one
// text that begins empty, or within an object, and grows. It is not safe for concurrent use.
type Written struct{ calls map[string]*written }

// written is the state of a call's arguments.
type written struct {
	text   string
	reader partialjson.Reader
	over   bool // its content is something else
}

// Report returns an agent's report of a call with its arguments as input fragments, and as the input once they are
// complete. known is the call as reported before, or nil. Other reports are returned unchanged.
func (w *Written) Report(p *transcript.ToolPatch, known *OpenCall) *transcript.ToolPatch {
	if p.Status != nil && p.Status.Ended() {
		delete(w.calls, p.ID)
		return p
	}
	if p.Content == nil {
		return p
	}
	text, single := onlyText(p)
	was := w.calls[p.ID]
	if was == nil {
		if len(w.calls) >= MaxCalls {
			return p
		}
		if w.calls == nil {
			w.calls = map[string]*written{}
		}
		was = &written{over: !single || !begins(p, known, text)}
		w.calls[p.ID] = was
	}
	if was.over {
		return p
	}
	rest, grows := strings.CutPrefix(text, was.text)
	said := p.Input != nil || known != nil && known.Input != nil
	if !single || !grows || p.Output != nil || said && rest != "" || len(text) > maxWritten || !was.write(rest) {
		*was = written{over: true}
		return p
	}
	told := *p
	told.Content, was.text = nil, text
	switch {
	case rest == "": // repeated
	case was.reader.Done():
		told.Input = jsontext.Value(was.reader.Object())
	default:
		told.InputDelta = rest
	}
	return &told
}

// Forget must be called at the end of a run.
func (w *Written) Forget() { clear(w.calls) }

// write reads a piece. It returns false unless the pieces form exactly one JSON object.
func (w *written) write(piece string) bool {
	if w.reader.Done() {
		return piece == ""
	}
	if w.reader.Len() == 0 && piece != "" && piece[0] != '{' {
		return false
	}
	_, err := w.reader.Write(piece)
	return err == nil
}

// begins reports whether the text of a call's content may be the beginning of its arguments, because nothing else is
// known about these.
func begins(p *transcript.ToolPatch, known *OpenCall, text string) bool {
	if p.Input != nil || p.Output != nil || known != nil && known.Input != nil {
		return false
	}
	if known != nil && known.Title != "" && !isToolName(known.Title) || p.Title != nil && !isToolName(*p.Title) {
		return false // another report already says what the call does
	}
	if text == "" {
		return known == nil
	}
	var r partialjson.Reader
	_, err := r.Write(text)
	return err == nil && !r.Done() && text[0] == '{'
}

// onlyText returns the text of a report whose content is a single text.
func onlyText(p *transcript.ToolPatch) (text string, ok bool) {
	if p.Content == nil || len(*p.Content) != 1 {
		return "", false
	}
	c := &(*p.Content)[0]
	return c.Text, c.Type == "text" && c.Ref == nil
}
