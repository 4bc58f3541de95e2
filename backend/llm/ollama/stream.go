package ollama

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"weft/backend/llm"
	"weft/backend/llm/assemble"
	"weft/backend/llm/sse"
)

// chat is an answer that is being read.
type chat struct {
	model  *model
	answer *assemble.Answer
	reason string
	usage  llm.Usage
	name   string
}

// read sends the request and takes the lines of its answer.
func (c *chat) read(ctx context.Context, r *request) error {
	m := c.model
	body, err := m.ask(ctx, "api/chat", r)
	if err != nil {
		return err
	}
	defer body.Close()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var l line
		err := sse.Unmarshal(lines.Bytes(), &l)
		switch {
		case l.Error != "":
			return m.lineError(l.failure)
		case err != nil && lines.Err() != nil: // that cut the line
			return m.end.NetworkError(ctx, lines.Err())
		case err != nil:
			return m.end.NetworkError(ctx, err)
		}
		if c.line(l); ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if l.Done {
			return nil
		}
	}
	return m.end.NetworkError(ctx, cmp.Or(lines.Err(), llm.ErrEnded))
}

// lineError is the error that a line reports.
func (m *model) lineError(f failure) error {
	if f.Status < http.StatusBadRequest {
		f.Status = http.StatusInternalServerError
	}
	if strings.Contains(f.Error, "exceeds the context") || strings.Contains(f.Error, "context length") {
		f.Status = http.StatusBadRequest
	}
	return m.statusError(f.Status, nil, []byte(f.Error))
}

func (c *chat) line(l line) {
	if l.Model != "" {
		c.name = l.Model
	}
	if l.Message.Thinking != "" {
		c.answer.Thinking(l.Message.Thinking)
		c.answer.Last().Sealed = &llm.Sealed{Provider: sealer, Data: json.RawMessage(`{}`)}
	}
	c.answer.Text(l.Message.Content)
	for _, call := range l.Message.Calls { // which come whole
		p := c.answer.Call(call.ID, call.Function.Name)
		if input := string(call.Function.Arguments); input != "null" {
			p.Add(input)
		}
	}
	if l.Read > 0 || l.Written > 0 {
		c.usage = llm.Usage{Input: l.Read, Output: l.Written}
	}
	c.reason = l.DoneReason
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
