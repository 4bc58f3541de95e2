package mcptools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/builtin/tool"
	"weft/backend/clip"
	"weft/backend/fault"
	"weft/backend/llm"
	"weft/backend/mcp"
	"weft/backend/transcript"
)

// What is taken of a tool's description of itself, in bytes.
const (
	maxDescription = 4 << 10
	maxSchema      = 64 << 10
)

// made is a tool as the agent uses it.
func (s *server) made(name string, o *sdk.Tool) tool.Tool {
	title := s.to.Name + ": " + clip.Text(strings.Join(strings.Fields(cmp.Or(o.Title, annotated(o).Title, o.Name)), " "), 100)
	look := tool.Look{Title: title}
	return tool.Tool{
		Tool: llm.Tool{Name: name, Description: clip.Text(o.Description, maxDescription), Schema: schema(o.InputSchema)},
		// That it only reads is what the server says of itself, so it is nothing that could be allowed unasked.
		Kind: acp.ToolKindOther, Effect: tool.Executes,
		// What it may do is asked for all the same; this is only about the order.
		Beside: annotated(o).ReadOnlyHint,
		Look:   func(*tool.Env, map[string]json.RawMessage) tool.Look { return look },
		Prepare: func(_ context.Context, env *tool.Env, input json.RawMessage) (tool.Prepared, error) {
			if input = bytes.TrimSpace(input); len(input) == 0 || string(input) == "null" {
				input = json.RawMessage("{}")
			}
			if input[0] != '{' || !json.Valid(input) {
				return tool.Prepared{}, &tool.Error{Message: "The input of " + name + " must be a JSON object."}
			}
			return tool.Prepared{
				Look: look, Effect: tool.Executes,
				Grant: "mcp:" + s.to.Name + "/" + o.Name, GrantName: fault.Say("Allow “{{tool}}” of {{server}} in this session", clip.Text(o.Name, 60), s.to.Name),
				Run: func(ctx context.Context, report func(tool.Progress)) (tool.Result, error) {
					return s.call(ctx, env, o, input, title, report)
				},
			}, nil
		},
	}
}

func annotated(t *sdk.Tool) sdk.ToolAnnotations {
	if t.Annotations == nil {
		return sdk.ToolAnnotations{}
	}
	return *t.Annotations
}

// schema is a tool's input schema, or that of any object where it has none that could be handed on.
func schema(from any) json.RawMessage {
	text, err := json.Marshal(from)
	var fields map[string]json.RawMessage
	if err != nil || len(text) > maxSchema || json.Unmarshal(text, &fields) != nil || fields == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	if string(fields["type"]) != `"object"` {
		fields["type"] = json.RawMessage(`"object"`)
		text, _ = json.Marshal(fields) // it was JSON before
	}
	return text
}

// call calls a tool. A server that has ended before is started again first.
func (s *server) call(ctx context.Context, env *tool.Env, t *sdk.Tool, input json.RawMessage, title string, report func(tool.Progress)) (tool.Result, error) {
	res, err := s.standing.Call(ctx, s.opt.CallTime, &sdk.CallToolParams{Name: t.Name, Arguments: input}, slowly(title, report))
	if err == nil {
		return result(env, s.to.Name, t, res)
	}
	var e *mcp.Error
	if !errors.As(err, &e) {
		return tool.Result{}, err
	}
	switch e.Code {
	case mcp.CodeUnreachable:
		out := s.failed("can't be reached. %s", said(err))
		out.Retryable = true // nothing was done
		return tool.Result{}, out
	case mcp.CodeTimeout:
		return tool.Result{}, s.failed("didn't answer within %s, so the call was canceled.", s.opt.CallTime)
	case mcp.CodeRefused:
		out := s.failed("rejected the call: %s", e.Message)
		out.Retryable = repeats(t, e.Message)
		return tool.Result{}, out
	}
	return tool.Result{}, s.died(ctx, t, e.Message)
}

// again reports whether a call may be made twice.
func again(t *sdk.Tool) bool { return annotated(t).ReadOnlyHint || annotated(t).IdempotentHint }

// repeats reports whether a call that failed with that text is made again: its server took none just now, or it may be
// called twice and the failure passes.
func repeats(t *sdk.Tool, text string) bool {
	return transcript.Refused(text) || again(t) && transcript.MayPass(text)
}

// died is the error of a call in which the server was lost. It is connected again at once, so that the next call finds
// it.
func (s *server) died(ctx context.Context, t *sdk.Tool, why string) error {
	_, err := s.standing.Connected(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := s.failed("lost the connection during the call. %s", why)
	e.Err = err
	switch {
	case err != nil:
		e.Message += " Couldn't reconnect: " + said(err)
	case again(t):
		e.Message += " It is connected again."
		e.Retryable = true
	default:
		e.Message += " It is connected again. The call may have been carried out, so check before you repeat it."
	}
	return e
}

const progressEvery = 100 * time.Millisecond

// slowly reports progress in the title, not too often. It is called by one goroutine at a time.
func slowly(title string, report func(tool.Progress)) func(*sdk.ProgressNotificationParams) {
	var last time.Time
	return func(p *sdk.ProgressNotificationParams) {
		if time.Since(last) < progressEvery && p.Progress < p.Total {
			return
		}
		last = time.Now()
		report(tool.Progress{Title: title + " — " + spoken(p)})
	}
}

// spoken is progress as a user reads it: "3 of 10: compiling".
func spoken(p *sdk.ProgressNotificationParams) string {
	text := fmt.Sprintf("%.6g", p.Progress)
	message := clip.Text(strings.Join(strings.Fields(p.Message), " "), 120)
	switch {
	case p.Total > 0:
		text += fmt.Sprintf(" of %.6g", p.Total)
	case message != "": // a number without a whole says less than the words
		return message
	}
	if message != "" {
		text += ": " + message
	}
	return text
}
