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

	"weft/backend/agent/mcp"
	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/builtin/tool"
	"weft/backend/conversation/transcript"
	"weft/backend/llm"
)

// Maximum sizes of a tool's description and schema, in bytes.
const (
	maxDescription = 4 << 10
	maxSchema      = 64 << 10
)

// made converts a server's tool to one of the agent.
func (s *server) made(name string, o *sdk.Tool) tool.Tool {
	title := s.to.Name + ": " + clip.Text(strings.Join(strings.Fields(cmp.Or(o.Title, annotated(o).Title, o.Name)), " "), 100)
	look := tool.Look{Title: title}
	return tool.Tool{
		Tool: llm.Tool{Name: name, Description: clip.Text(o.Description, maxDescription), Schema: schema(o.InputSchema)},
		// Servers are not trusted, so their read-only hint doesn't spare the user a question.
		Kind: acp.ToolKindOther, Effect: tool.Executes,
		// This affects only the order of calls. The user is asked anyway.
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

// schema returns a tool's input schema, or one for any object if it is missing, invalid or too large.
func schema(from any) json.RawMessage {
	text, err := json.Marshal(from)
	var fields map[string]json.RawMessage
	if err != nil || len(text) > maxSchema || json.Unmarshal(text, &fields) != nil || fields == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	if string(fields["type"]) != `"object"` {
		fields["type"] = json.RawMessage(`"object"`)
		text, _ = json.Marshal(fields) // it was decoded from JSON
	}
	return text
}

// call calls a tool. If the server has ended, it is restarted first.
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
		out.Retryable = true // the server did nothing
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

// again reports whether a call may be repeated.
func again(t *sdk.Tool) bool { return annotated(t).ReadOnlyHint || annotated(t).IdempotentHint }

// repeats reports whether a call that failed with text is retried: the server rejected it, or the failure is transient
// and the call may be repeated.
func repeats(t *sdk.Tool, text string) bool {
	return transcript.Refused(text) || again(t) && transcript.MayPass(text)
}

// died returns the error for a call during which the connection was lost. It reconnects the server for the next call.
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

// slowly returns a function that reports progress in the title, at most every progressEvery. It must not be called
// concurrently.
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

// spoken returns progress as readable text: "3 of 10: compiling".
func spoken(p *sdk.ProgressNotificationParams) string {
	text := fmt.Sprintf("%.6g", p.Progress)
	message := clip.Text(strings.Join(strings.Fields(p.Message), " "), 120)
	switch {
	case p.Total > 0:
		text += fmt.Sprintf(" of %.6g", p.Total)
	case message != "": // without a total, the message says more than the number
		return message
	}
	if message != "" {
		text += ": " + message
	}
	return text
}
