package anthropic

import (
	"encoding/json"
	"errors"
	"io"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"weft/backend/llm"
	"weft/backend/llm/assemble"
	"weft/backend/llm/sse"
)

// reader reads one stream.
type reader struct {
	answer *assemble.Answer
	model  string // as it was asked for
	blocks map[int64]*block
	stop   sdk.StopReason
	usage  sdk.Usage
	from   string // the model that answers
}

// block is one that is being written.
type block struct {
	part *assemble.Part
	seal seal
	// whole says that the input came at the start of the call, as some compatible servers send it, instead of in pieces.
	whole bool
}

func newReader(req llm.Request, emit func(llm.Delta)) *reader {
	return &reader{answer: assemble.New(req, emit), model: req.Model, blocks: map[int64]*block{}}
}

// read blocks until message_stop, or an error. One that came as an event is an [*llm.Error] of m.
func (r *reader) read(body io.Reader, m *model) error {
	events := sse.NewReader(body)
	for {
		var event sdk.MessageStreamEventUnion
		data, err := events.Decode(&event)
		switch {
		case err != nil:
			return err
		case event.Type == "error":
			kind, message := errorIn(data)
			return m.e.StatusError(statusOf(kind), nil, message, m.opt.Now(), errors.New(kind+": "+message))
		case event.Type == "message_stop":
			return nil
		}
		r.event(event)
	}
}

func (r *reader) event(event sdk.MessageStreamEventUnion) {
	switch event.Type {
	case "message_start":
		r.from, r.usage = event.Message.Model, event.Message.Usage
	case "content_block_start":
		if b := r.begin(event.ContentBlock); b != nil {
			r.blocks[event.Index] = b
		}
	case "content_block_delta":
		if b := r.blocks[event.Index]; b != nil {
			r.add(b, event.Delta)
		}
	case "content_block_stop":
		delete(r.blocks, event.Index)
	case "message_delta":
		r.stop = event.Delta.StopReason
		r.count(event.Usage)
	}
}

// begin begins a part. Blocks of tools that run at the server are not asked for, so there are none.
func (r *reader) begin(start sdk.ContentBlockStartEventContentBlockUnion) *block {
	switch start.Type {
	case "text":
		b := &block{part: r.answer.BeginText()}
		b.part.Add(start.Text)
		return b
	case "thinking":
		b := &block{part: r.answer.BeginThinking()}
		b.part.Add(start.Thinking)
		r.sign(b, seal{Signature: start.Signature})
		return b
	case "redacted_thinking":
		b := &block{part: r.answer.BeginThinking()}
		r.sign(b, seal{Redacted: start.Data})
		return b
	case "tool_use":
		b := &block{part: r.answer.Call(start.ID, start.Name)}
		if raw := start.JSON.Input.Raw(); raw != "{}" && raw != "null" {
			b.part.Add(raw)
			b.whole = raw != ""
		}
		return b
	}
	return nil
}

func (r *reader) add(b *block, delta sdk.MessageStreamEventUnionDelta) {
	switch delta.Type {
	case "text_delta":
		b.part.Add(delta.Text)
	case "thinking_delta":
		b.part.Add(delta.Thinking)
	case "input_json_delta":
		if !b.whole {
			b.part.Add(delta.PartialJSON)
		}
	case "signature_delta":
		r.sign(b, seal{Signature: b.seal.Signature + delta.Signature})
	}
}

func (r *reader) sign(b *block, s seal) {
	if s.Signature == "" && s.Redacted == "" {
		return
	}
	s.Model = r.model
	b.seal = s
	data, _ := json.Marshal(s) // strings can always be encoded
	b.part.Sealed = &llm.Sealed{Provider: Provider, Data: data}
}

// count takes over the counts that are told again at the end; all of them are totals.
func (r *reader) count(u sdk.MessageDeltaUsage) {
	for _, c := range []struct {
		told  bool
		value int64
		into  *int64
	}{
		{u.JSON.InputTokens.Valid(), u.InputTokens, &r.usage.InputTokens},
		{u.JSON.OutputTokens.Valid(), u.OutputTokens, &r.usage.OutputTokens},
		{u.JSON.CacheReadInputTokens.Valid(), u.CacheReadInputTokens, &r.usage.CacheReadInputTokens},
		{u.JSON.CacheCreationInputTokens.Valid(), u.CacheCreationInputTokens, &r.usage.CacheCreationInputTokens},
		{u.JSON.OutputTokensDetails.Valid(), u.OutputTokensDetails.ThinkingTokens, &r.usage.OutputTokensDetails.ThinkingTokens},
	} {
		if c.told {
			*c.into = c.value
		}
	}
}

// response is what came until now.
func (r *reader) response() llm.Response {
	u := r.usage
	return llm.Response{
		Message: r.answer.Message(),
		Stop:    stop(r.stop, len(r.answer.Calls()) > 0),
		Model:   r.from,
		Usage: llm.Usage{
			Input:     u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens,
			CacheRead: u.CacheReadInputTokens, CacheWrite: u.CacheCreationInputTokens,
			Output: u.OutputTokens, Thinking: u.OutputTokensDetails.ThinkingTokens,
		},
	}
}

func stop(reason sdk.StopReason, calls bool) llm.Stop {
	switch {
	case reason == sdk.StopReasonRefusal:
		return llm.StopRefusal
	case reason == sdk.StopReasonMaxTokens, reason == sdk.StopReasonModelContextWindowExceeded:
		return llm.StopLength
	case calls:
		return llm.StopTools
	}
	return llm.StopEnd
}
