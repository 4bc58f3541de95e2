package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript"

	"weft/backend/gateway/tools"
)

// maxIgnored is the maximum number of ignored arguments named in a result.
const maxIgnored = 20

// call is one call of a tool.
type call struct {
	caller Caller
	tool   *tool
	sent   json.RawMessage // the arguments as the agent sent them
	input  json.RawMessage // the arguments without the target
	space  string          // the target space, "" for none
	await  bool            // the call waits for the user's answer
	open   bool            // the user can answer later
	// ignored are arguments that the schema doesn't have, see [tools.Schema.Known].
	ignored []string
	row     string // id of the call in the caller's own space, "" if it isn't shown there
	again   bool   // the user repeats a failed call
	retried bool   // the gateway has retried it
	beat    *beat
}

// handle executes a call. It returns failures as results, which the model can read, and never as protocol errors.
func (s *session) handle(ctx context.Context, req *sdk.CallToolRequest) (res *sdk.CallToolResult, err error) {
	defer s.calling(req.Session)()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	b := s.follow(ctx, req)
	defer b.stop()
	defer func() {
		if p := recover(); p != nil {
			s.g.opt.Log.Error().Str("tool", req.Params.Name).Str("panic", clip.Text(fmt.Sprint(p), 500)).Msg("a call of a gateway tool panicked")
			res, err = failed(&tools.Error{Code: "failed", Message: "Something went wrong in Weft."}), nil
		}
	}()
	t := s.g.Catalog().tools[req.Params.Name]
	if t == nil {
		return failed(&tools.Error{Code: "no_tool", Message: "The tool " + clip.Text(req.Params.Name, 100) + " no longer exists. List the tools again."}), nil
	}
	if err := s.g.opt.Host.Reached(s.caller, t.def.Name); err != nil {
		return failed(s.toolError(ctx, err)), nil
	}
	c := &call{caller: s.caller, tool: t, sent: arguments(req.Params.Arguments), beat: b}
	if res, err = s.g.runner.do(ctx, c); err != nil {
		res = failed(s.toolError(ctx, err))
	}
	return c.marked(res), nil
}

// toolError returns err as an error with a code and a sentence.
func (s *session) toolError(ctx context.Context, err error) *tools.Error {
	var own *tools.Error
	switch {
	case s.life.Err() != nil:
		return &tools.Error{Code: "cancelled", Message: "The session has ended.", Err: err}
	case errors.As(err, &own):
		return own
	case ctx.Err() != nil:
		return &tools.Error{Code: "cancelled", Message: "The call was canceled.", Err: err}
	}
	return &tools.Error{Code: "failed", Message: clip.Text(err.Error(), 1000), Err: err}
}

// noted adds a sentence about ignored arguments to the text of a result. It doesn't change the structured content.
func (c *call) noted(res *sdk.CallToolResult) *sdk.CallToolResult {
	if res == nil || len(c.ignored) == 0 {
		return res
	}
	names := make([]string, min(len(c.ignored), maxIgnored))
	for i := range names {
		names[i] = strconv.Quote(clip.Text(c.ignored[i], 100))
	}
	sentence := fmt.Sprintf("Ignored, since %s has no such arguments: %s.", c.tool.def.Name, strings.Join(names, ", "))
	if schema := c.tool.schema; schema != nil {
		sentence += " It has " + clip.Text(strings.Join(schema.Arguments(), ", "), 500) + "."
	}
	out := *res
	out.Content = append(slices.Clone(res.Content), &sdk.TextContent{Text: sentence})
	return &out
}

// parse splits and validates the arguments. Its errors are sentences for the agent.
func (c *call) parse() error {
	def := c.tool.def
	c.input = c.sent
	if def.DisplayTool {
		input, space, err := tools.TakeTarget(def.Name, c.sent)
		if err != nil {
			return err
		}
		c.input, c.space = input, space
	} else if _, err := tools.Members(c.sent); err != nil {
		return tools.NotAnObject(def.Name, err)
	}
	if c.tool.schema != nil {
		if c.tool.prune {
			c.input, c.ignored = c.tool.schema.Known(c.input)
		}
		if err := c.tool.schema.Fits(def, c.input); err != nil {
			return err
		}
	}
	c.await = def.DisplayTool && def.Awaits(c.input)
	c.open = def.DisplayTool && !c.await && c.space != "" && def.Open(c.input)
	if c.await && c.space == "" {
		return &tools.Error{Code: "no_target", Message: def.Name + " waits for the user, but no one can see it. Pass targetSpaceId, the id of the space where the user can answer it (see listSpaces)."}
	}
	return nil
}

// displayResult returns the result of a display for the agent.
func (c *call) displayResult(s Shown) *sdk.CallToolResult {
	name := c.tool.def.Name
	switch s.State {
	case StateAnswered:
		res := tools.Text(string(s.Answer))
		if len(s.Answer) == 0 {
			res = tools.Text("null")
		}
		if v := arguments(s.Answer); v[0] == '{' && json.Valid(v) && len(s.Answer) > 0 {
			res.StructuredContent = v
		}
		return res
	case StateCancelled:
		return state(s.State, "The user closed "+name+" without an answer.")
	case StateExpired:
		return state(s.State, name+" wasn't answered in time. It can still be answered; the answer then comes to you as a prompt. Do not ask again.")
	}
	switch {
	case c.space == "":
		return state("silent", "Nothing was shown, since there was no targetSpaceId.")
	case c.open:
		return state(StateShown, "The user can answer later; the answer then comes to you as a prompt. Continue without waiting for it.")
	}
	return state(StateShown, "")
}

// state returns a result with a state and a note, both as text and as structured content.
func state(name, note string) *sdk.CallToolResult {
	v := struct {
		State string `json:"state"`
		Note  string `json:"note,omitempty"`
	}{name, note}
	raw, err := json.Marshal(v)
	if err != nil {
		return tools.Text(name) // can't happen for strings
	}
	res := tools.Text(string(raw))
	res.StructuredContent = json.RawMessage(raw)
	return res
}

// structured returns a result with v as text, for models, and as structured content, for programs.
func structured(v any) (*sdk.CallToolResult, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	res := tools.Text(string(raw))
	res.StructuredContent = json.RawMessage(raw)
	return res, nil
}

// failed returns the result of a failed call.
func failed(e *tools.Error) *sdk.CallToolResult {
	res := tools.Text(e.Message)
	res.IsError = true
	res.Meta = sdk.Meta{transcript.RetriedMeta: false}
	res.StructuredContent = map[string]string{"code": e.Code, "message": e.Message}
	return res
}

// outcome returns the result of the call for its display, including whether it was retried.
func (c *call) outcome(res *sdk.CallToolResult, err error) (json.RawMessage, error) {
	var own *tools.Error
	switch {
	case !c.retried:
	case errors.As(err, &own):
		told := *own
		told.Retried = true
		err = &told
	case err == nil:
		res = c.marked(res)
	}
	return outcome(res, err)
}

// marked adds to a result whether the call was retried, so that agents don't retry it again.
func (c *call) marked(res *sdk.CallToolResult) *sdk.CallToolResult {
	told := *res
	if told.Meta = maps.Clone(told.Meta); told.Meta == nil {
		told.Meta = sdk.Meta{}
	}
	told.Meta[transcript.RetriedMeta] = c.retried
	return &told
}

// outcome returns the result of a tool as MCP JSON. If the tool failed, it also returns an error.
func outcome(res *sdk.CallToolResult, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(res)
	if err != nil {
		return nil, err
	}
	if res.IsError {
		message := firstText(res)
		if message == "" {
			message = "The tool failed."
		}
		again, _ := res.Meta[transcript.RetriedMeta].(bool)
		return raw, &tools.Error{Code: "failed", Message: message, Retried: again}
	}
	return raw, nil
}

// arguments returns the raw arguments of a call, or {} if there are none.
func arguments(raw json.RawMessage) json.RawMessage {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}
