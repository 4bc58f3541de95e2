package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"

	"weft/backend/llm"
	"weft/backend/llm/assemble"
)

// chat is an answer that is being read.
type chat struct {
	model  *model
	answer *assemble.Answer
	done   bool
	reason string
	usage  llm.Usage
	name   string
}

// errStop ends the reading of a stream.
var errStop = errors.New("stop")

// read sends the request and takes the lines of its answer.
func (c *chat) read(ctx context.Context, wire *api.ChatRequest) error {
	client, trace, err := c.model.client()
	if err != nil {
		return err
	}
	err = client.Chat(ctx, wire, func(r api.ChatResponse) error {
		c.line(r, trace.line())
		if c.done || ctx.Err() != nil {
			return errStop
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case c.done:
		return nil
	}
	var f *llm.Error
	switch {
	case errors.As(err, &f):
		return f
	case trace.failed != nil: // the client says nothing of it
		return c.model.end.NetworkError(ctx, trace.failed)
	case err == nil:
		return c.model.end.Broken()
	}
	return c.model.lineError(ctx, trace.line(), err)
}

// lineError is the error of a line that the client does not take: one that reports an error, or is not JSON.
func (m *model) lineError(ctx context.Context, line []byte, err error) error {
	var s said
	if json.Unmarshal(line, &s) == nil && s.Error != "" {
		if s.Status < http.StatusBadRequest {
			s.Status = http.StatusInternalServerError
		}
		if strings.Contains(s.Error, "exceeds the context") || strings.Contains(s.Error, "context length") {
			s.Status = http.StatusBadRequest
		}
		return m.statusError(s.Status, nil, line)
	}
	if len(line) > 0 {
		var v json.RawMessage
		if broken := json.Unmarshal(line, &v); broken != nil {
			var syntax *json.SyntaxError
			if errors.As(broken, &syntax) && syntax.Offset >= int64(len(line)) && line[0] == '{' {
				return m.end.Broken() // cut in the middle
			}
			return m.end.NetworkError(ctx, broken)
		}
	}
	return m.end.NetworkError(ctx, err)
}

func (c *chat) line(r api.ChatResponse, raw []byte) {
	if r.Model != "" {
		c.name = r.Model
	}
	if r.Message.Thinking != "" {
		c.answer.Thinking(r.Message.Thinking)
		c.answer.Last().Sealed = &llm.Sealed{Provider: sealer, Data: json.RawMessage(`{}`)}
	}
	c.answer.Text(r.Message.Content)
	c.calls(r.Message.ToolCalls, raw)
	if r.PromptEvalCount > 0 || r.EvalCount > 0 {
		c.usage = llm.Usage{Input: int64(r.PromptEvalCount), Output: int64(r.EvalCount)}
	}
	if r.Done {
		c.done, c.reason = true, r.DoneReason
	}
}

// calls come whole.
func (c *chat) calls(calls []api.ToolCall, raw []byte) {
	if len(calls) == 0 {
		return
	}
	inputs := rawInputs(raw)
	for i, call := range calls {
		p := c.answer.Call(call.ID, call.Function.Name)
		if len(inputs) != len(calls) {
			p.Add(call.Function.Arguments.String())
		} else if inputs[i] != "null" {
			p.Add(inputs[i])
		}
	}
}

// rawInputs are the inputs of the calls of a line, as they are written.
func rawInputs(line []byte) []string {
	var l struct {
		Message struct {
			ToolCalls []struct {
				Function struct {
					Arguments json.RawMessage `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &l) != nil {
		return nil
	}
	var out []string
	for _, call := range l.Message.ToolCalls {
		out = append(out, string(call.Function.Arguments))
	}
	return out
}

func (c *chat) response() llm.Response {
	r := llm.Response{Message: c.answer.Message(), Usage: c.usage, Model: c.name, Stop: llm.StopEnd}
	if c.reason == "length" {
		r.Stop = llm.StopLength
	} else if len(c.answer.Calls()) > 0 {
		r.Stop = llm.StopTools
	}
	return r
}
