package openai

import (
	"context"
	"encoding/json"
	"strings"

	"weft/backend/llm"
	"weft/backend/llm/assemble"
)

func (m *model) streamChat(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	c := newChat(m.server, req, emit)
	write := chatWriter{m.server}
	messages, err := write.messages(req)
	if err != nil {
		return c.response(), err
	}
	tools, err := functions(req)
	if err != nil {
		return c.response(), err
	}
	form, err := outputOf(req)
	if err != nil {
		return c.response(), err
	}
	events, err := m.send(ctx, req, "chat/completions", func(q quirks) any { return write.request(req, messages, tools, form, q) })
	if err != nil {
		return c.response(), err
	}
	defer events.close()
	err = c.read(ctx, events)
	return c.response(), err
}

// chat is an answer of chat completions that is being read.
type chat struct {
	server  *server
	answer  *assemble.Answer
	byIndex map[int]*assemble.Part
	byID    map[string]*assemble.Part
	details map[*assemble.Part][]json.RawMessage
	refused bool
	finish  string // why the model ended, "" until it has
	usage   llm.Usage
	name    string
}

func newChat(s *server, req llm.Request, emit func(llm.Delta)) *chat {
	return &chat{
		server: s, answer: assemble.New(req, emit),
		byIndex: map[int]*assemble.Part{}, byID: map[string]*assemble.Part{}, details: map[*assemble.Part][]json.RawMessage{},
	}
}

// chatChunk is what one event holds. message is what a server that does not stream sends in place of delta.
type chatChunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Index        int       `json:"index"`
		Delta        chatDelta `json:"delta"`
		Message      chatDelta `json:"message"`
		FinishReason string    `json:"finish_reason"`
		Usage        chatUsage `json:"usage"`
	} `json:"choices"`
	Usage chatUsage       `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatDelta struct {
	Content          json.RawMessage   `json:"content"` // a string, or a list of parts
	Refusal          string            `json:"refusal"`
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        string            `json:"reasoning"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ToolCalls        []chatCall        `json:"tool_calls"`
}

type chatCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a string; an object from some
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

// read takes the events until the answer is complete.
func (c *chat) read(ctx context.Context, events *events) error {
	for events.next() {
		var chunk chatChunk
		if err := events.decode(&chunk); err != nil {
			return c.server.end.NetworkError(ctx, err)
		}
		if given(chunk.Error) != nil {
			return c.server.streamError(chunk.Error)
		}
		if events.isError() {
			return c.server.streamError(events.data)
		}
		c.chunk(chunk)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case c.finish == "error":
		return c.server.end.Broken()
	case c.finish != "" || events.done:
		return nil // also without the [DONE] that should follow
	}
	if err := events.failed(); err != nil {
		return c.server.end.NetworkError(ctx, err)
	}
	return c.server.end.Broken()
}

func (c *chat) chunk(chunk chatChunk) {
	if chunk.Model != "" {
		c.name = chunk.Model
	}
	chunk.Usage.into(&c.usage)
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue // one answer is asked for
		}
		choice.Usage.into(&c.usage)
		c.delta(choice.Delta)
		c.delta(choice.Message)
		if choice.FinishReason != "" {
			c.finish = choice.FinishReason
		}
	}
}

func (c *chat) delta(d chatDelta) {
	field, thought := "reasoning_content", d.ReasoningContent
	if thought == "" {
		field, thought = "reasoning", d.Reasoning
	}
	c.thinking(field, thought)
	for _, detail := range d.ReasoningDetails {
		c.detail(detail)
	}
	c.content(d.Content)
	if d.Refusal != "" {
		c.refused = true
		c.answer.Text(d.Refusal)
	}
	for _, call := range d.ToolCalls {
		c.call(call)
	}
}

func (c *chat) thinking(field, text string) {
	if text == "" {
		return
	}
	c.answer.Thinking(text)
	if last := c.answer.Last(); last.Sealed == nil {
		last.Sealed = seal(chatSeal{At: c.server.host, Field: field})
	}
}

// detail keeps a piece of reasoning_details with the thinking it belongs to: the one that is last, or one without text.
func (c *chat) detail(raw json.RawMessage) {
	last := c.answer.LastThinking()
	if last == nil {
		last = c.answer.BeginThinking()
	}
	c.details[last] = mergeDetails(c.details[last], raw)
}

// content is a string, or parts as Mistral sends them.
func (c *chat) content(raw json.RawMessage) {
	if raw = given(raw); raw == nil {
		return
	}
	if raw[0] != '[' {
		c.answer.Text(unquoted(raw))
		return
	}
	var parts []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if lenient(json.Unmarshal(raw, &parts)) != nil {
		return // it was valid as part of the event
	}
	for _, p := range parts {
		c.answer.Text(p.Text)
		var thoughts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(p.Thinking, &thoughts) == nil {
			for _, t := range thoughts {
				c.answer.Thinking(t.Text)
			}
		}
	}
}

// call takes a piece of a call.
func (c *chat) call(piece chatCall) {
	input := string(given(piece.Function.Arguments))
	if strings.HasPrefix(input, `"`) {
		input = unquoted(piece.Function.Arguments)
	}
	p := c.find(piece, input)
	if p == nil {
		p = c.answer.Call(piece.ID, piece.Function.Name)
		c.byID[piece.ID] = p
		if piece.Index != nil {
			c.byIndex[*piece.Index] = p
		}
	}
	p.Add(input)
	if extra := given(piece.ExtraContent); extra != nil {
		p.Sealed = seal(callSeal{c.server.host, extra})
	}
}

// find is the call that a piece continues with, nil if it begins one. The index should tell, but servers leave it out,
// or give all calls the same; then another id tells, or that a call which is named again was complete already.
func (c *chat) find(piece chatCall, input string) *assemble.Part {
	var p *assemble.Part
	if piece.Index != nil {
		p = c.byIndex[*piece.Index]
	} else if calls := c.answer.Calls(); len(calls) > 0 {
		p = calls[len(calls)-1]
	}
	switch {
	case p == nil:
		return nil
	case piece.ID != "" && p.ID() != "" && piece.ID != p.ID():
		if piece.Index == nil {
			return c.byID[piece.ID]
		}
		return nil
	case piece.Function.Name != "" && input != "" && p.Whole():
		return nil
	}
	return p
}

func (c *chat) response() llm.Response {
	for part, details := range c.details {
		part.Sealed = seal(chatSeal{At: c.server.host, Details: details})
	}
	r := llm.Response{Message: c.answer.Message(), Usage: c.usage, Model: c.name, Stop: llm.StopEnd}
	switch c.finish {
	case "length", "max_tokens":
		r.Stop = llm.StopLength
		return r
	case "content_filter":
		r.Stop = llm.StopRefusal
		return r
	}
	if len(c.answer.Calls()) > 0 {
		r.Stop = llm.StopTools
	} else if c.refused {
		r.Stop = llm.StopRefusal
	}
	return r
}
