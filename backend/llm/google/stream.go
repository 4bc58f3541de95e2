package google

import (
	"encoding/json"
	"io"
	"slices"

	"weft/backend/conversation/partialargs"
	"weft/backend/llm"
	"weft/backend/llm/assemble"
	"weft/backend/llm/sse"
)

// chunk is one event.
type chunk struct {
	Candidates []struct {
		Content struct {
			Parts []part `json:"parts"`
		} `json:"content"`
		FinishReason  finishReason `json:"finishReason"`
		FinishMessage string       `json:"finishMessage"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *struct { // tokens
		Prompt   int64 `json:"promptTokenCount"`
		ToolUse  int64 `json:"toolUsePromptTokenCount"`
		Cached   int64 `json:"cachedContentTokenCount"`
		Answer   int64 `json:"candidatesTokenCount"`
		Thoughts int64 `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
	ModelVersion string    `json:"modelVersion"`
	Error        *apiError `json:"error"`
}

type part struct {
	Text             string `json:"text"`
	Thought          bool   `json:"thought"`
	ThoughtSignature string `json:"thoughtSignature"`
	FunctionCall     *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
		// Arguments that are streamed: the parts that follow have no name.
		Partial []partialargs.Piece `json:"partialArgs"`
		More    bool                `json:"willContinue"`
	} `json:"functionCall"`
}

// reader reads one stream.
type reader struct {
	answer  *assemble.Answer
	finish  finishReason
	said    string // about the finish
	blocked bool
	usage   llm.Usage
	from    string
	signed  bool               // the last part is closed by its signature
	open    *assemble.Part     // the call whose arguments are streamed
	args    partialargs.Writer // its
	order   error              // why they can't be put together
}

func newReader(req llm.Request, emit func(llm.Delta)) *reader {
	return &reader{answer: assemble.New(req, emit)}
}

// read blocks until the stream ends. What goes wrong behind the finish, where only counts may follow, is no failure.
// An error that came as an event is an [*llm.Error] of m.
func (r *reader) read(body io.Reader, m *model) error {
	events := sse.NewReader(body)
	for {
		var c chunk
		_, err := events.Decode(&c)
		if err == nil && c.Error != nil {
			err = m.status(c.Error.Code, nil, c.Error)
		}
		switch {
		case err == nil:
			r.chunk(c)
		case r.finish != "" || r.blocked:
			return r.malformed()
		default:
			return err
		}
	}
}

func (r *reader) chunk(c chunk) {
	if c.ModelVersion != "" {
		r.from = c.ModelVersion
	}
	if u := c.Usage; u != nil { // totals until now
		r.usage = llm.Usage{
			Input: u.Prompt + u.ToolUse, CacheRead: u.Cached, Output: u.Answer + u.Thoughts, Thinking: u.Thoughts,
		}
	}
	if c.PromptFeedback.BlockReason != "" {
		r.blocked = true
	}
	if len(c.Candidates) == 0 {
		return
	}
	first := c.Candidates[0] // no others are asked for
	for _, p := range first.Content.Parts {
		r.part(p)
	}
	if first.FinishReason != "" && first.FinishReason != finishNone {
		r.closeCall()
		r.finish, r.said = first.FinishReason, first.FinishMessage
	}
}

// part adds one. A part with a signature stays one of its own, since it has to go back with just its text.
func (r *reader) part(p part) {
	sealed := seal{Signature: p.ThoughtSignature, Thought: p.Thought}
	switch {
	case p.FunctionCall != nil && (p.FunctionCall.More || len(p.FunctionCall.Partial) > 0 || r.open != nil && p.FunctionCall.Name == ""):
		r.streamed(p, sealed)
	case p.FunctionCall != nil:
		r.closeCall()
		c := r.answer.Call(p.FunctionCall.ID, p.FunctionCall.Name)
		sealed.ID = p.FunctionCall.ID
		c.Sealed = sealed.sealed()
		if string(p.FunctionCall.Args) != "null" {
			c.Add(string(p.FunctionCall.Args))
		}
	case p.ThoughtSignature != "" && p.Text == "":
		r.answer.BeginThinking().Sealed = sealed.sealed() // empty texts are not kept
	case p.ThoughtSignature != "" && p.Thought:
		t := r.answer.BeginThinking()
		t.Sealed = sealed.sealed()
		t.Add(p.Text)
	case p.ThoughtSignature != "":
		t := r.answer.BeginText()
		t.Sealed = sealed.sealed()
		t.Add(p.Text)
	case p.Text == "":
		return // or a kind that was not asked for
	case p.Thought && r.signed:
		t := r.answer.BeginThinking()
		t.Sealed = sealed.sealed()
		t.Add(p.Text)
	case p.Thought:
		r.answer.Thinking(p.Text)
		r.answer.Last().Sealed = sealed.sealed()
	case r.signed:
		r.answer.BeginText().Add(p.Text)
	default:
		r.answer.Text(p.Text)
	}
	r.signed = p.ThoughtSignature != ""
}

// streamed adds to a call whose arguments come in pieces.
func (r *reader) streamed(p part, sealed seal) {
	f := p.FunctionCall
	if f.Name != "" || r.open == nil {
		r.closeCall()
		sealed.ID = f.ID
		r.open, r.args = r.answer.Call(f.ID, f.Name), partialargs.Writer{}
		r.open.Sealed = sealed.sealed()
	}
	for _, piece := range f.Partial {
		fragment, err := r.args.Add(piece)
		if err != nil {
			r.order = err
			return
		}
		r.open.Add(fragment)
	}
	if !f.More {
		r.closeCall()
	}
}

// closeCall ends the call whose arguments were streamed.
func (r *reader) closeCall() {
	if r.open != nil {
		r.open.Add(r.args.Close())
		r.open = nil
	}
}

func (s seal) sealed() *llm.Sealed {
	data, _ := json.Marshal(s) // strings can always be encoded
	return &llm.Sealed{Provider: Provider, Data: data}
}

// malformed is the error of a call that the API could not read, and which it leaves out.
func (r *reader) malformed() error {
	if r.order != nil {
		return llm.Fail(llm.CodeBroken, "Google's model sent a tool call that can't be read: its arguments came out of order. Try again.").Because(r.order).Passing()
	}
	if r.finish != finishMalformed && r.finish != finishUnexpected {
		return nil
	}
	said := ""
	if r.said != "" {
		said = ": " + bounded(r.said, 200)
	}
	return llm.Fail(llm.CodeBroken, "Google's model sent a tool call that can't be read{{words}}. Try again.", said).Passing()
}

func bounded(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}

// response is what came until now.
func (r *reader) response() llm.Response {
	return llm.Response{Message: r.answer.Message(), Stop: r.stop(), Usage: r.usage, Model: r.from}
}

func (r *reader) stop() llm.Stop {
	if r.blocked {
		return llm.StopRefusal
	}
	switch {
	case r.finish == finishLength:
		return llm.StopLength
	case slices.Contains(refusals, r.finish):
		return llm.StopRefusal
	case len(r.answer.Calls()) > 0:
		return llm.StopTools
	}
	return llm.StopEnd
}
