package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/clip"
)

// call is one call of a tool.
type call struct {
	caller Caller
	tool   *tool
	sent   json.RawMessage // as the agent sent it
	input  json.RawMessage // without the target
	space  string          // the target, "" for none
	await  bool            // a person has to answer
	stands string          // where it is shown in the caller's own space, "" if it is not
	beat   *beat
}

// handle answers a call. What goes wrong is a result that the model reads, and never an error of the protocol.
func (s *session) handle(ctx context.Context, req *sdk.CallToolRequest) (res *sdk.CallToolResult, err error) {
	defer s.calling(req.Session)()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	b := s.follow(ctx, req)
	defer b.stop()
	defer func() {
		if p := recover(); p != nil {
			s.g.opt.Log.Error().Str("tool", req.Params.Name).Str("panic", clip.Text(fmt.Sprint(p), 500)).Msg("a call of the gateway failed")
			res, err = failed(&Error{Code: "failed", Message: "Something went wrong inside Weft."}), nil
		}
	}()
	s.g.mu.Lock()
	t := s.g.tools[req.Params.Name]
	s.g.mu.Unlock()
	if t != nil {
		s.g.opt.Host.Reached(s.caller, t.def.Name)
	}
	if t == nil {
		return failed(&Error{Code: "no_tool", Message: "The tool " + clip.Text(req.Params.Name, 100) + " is no longer there. List the tools anew."}), nil
	}
	res, err = s.g.do(ctx, &call{caller: s.caller, tool: t, sent: arguments(req.Params.Arguments), beat: b})
	if err != nil {
		return failed(s.why(ctx, err)), nil
	}
	return res, nil
}

// why makes a sentence of an error.
func (s *session) why(ctx context.Context, err error) *Error {
	var own *Error
	switch {
	case s.life.Err() != nil:
		return &Error{Code: "cancelled", Message: "The session has ended.", Err: err}
	case errors.As(err, &own):
		return own
	case ctx.Err() != nil:
		return &Error{Code: "cancelled", Message: "The call was cancelled.", Err: err}
	}
	return &Error{Code: "failed", Message: clip.Text(err.Error(), 1000), Err: err}
}

// do is the way of every call: what is shown is routed, what acts asks for permission, and then it is run.
func (g *Gateway) do(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	t := c.tool
	if err := c.read(); err != nil {
		g.opt.Host.Refused(c.caller, t.def.Name, c.sent)
		return nil, err
	}
	if !t.def.DisplayTool {
		return g.execute(ctx, c)
	}
	shown, err := g.opt.Host.Show(ctx, c.caller, Show{Tool: t.def, SpaceID: c.space, Input: c.input, Sent: c.sent, Await: c.await})
	if err != nil {
		return nil, err
	}
	if t.run == nil {
		return told(t.def.Name, c.space, shown), nil
	}
	c.stands = shown.Call
	res, err := g.execute(ctx, c)
	if shown.Done != nil {
		shown.Done(outcome(res, err))
	}
	return res, err
}

// read takes the arguments apart. Its errors are sentences for the agent.
func (c *call) read() error {
	def := c.tool.def
	c.input = c.sent
	if def.DisplayTool {
		input, space, _, err := withoutTarget(def.Name, c.sent)
		if err != nil {
			return err
		}
		c.input, c.space = input, space
	} else if _, err := members(c.sent); err != nil {
		return notAnObject(def.Name, err)
	}
	if c.tool.schema != nil {
		if err := c.tool.schema.fits(def.Name, c.input); err != nil {
			return err
		}
	}
	c.await = def.DisplayTool && def.awaits(c.input)
	if c.await && c.space == "" {
		return &Error{Code: "no_target", Message: def.Name + " waits for a person, and nobody sees it. Pass targetSpaceId, the id of the space where it is to be answered (see listSpaces)."}
	}
	return nil
}

// execute runs a tool, if it may.
func (g *Gateway) execute(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	if c.tool.acts {
		p := Permit{Tool: c.tool.def, Key: c.tool.key, Input: c.input, Sent: c.sent, Call: c.stands}
		if e := c.tool.def.Execution; e != nil && e.Mode == ModeCommand {
			args, err := c.args()
			if err != nil {
				return nil, err
			}
			p.Command, p.Dir = append([]string{e.Command}, args...), g.dir()
		}
		if err := g.opt.Host.Permit(ctx, c.caller, p); err != nil {
			var own *Error
			if errors.As(err, &own) || ctx.Err() != nil {
				return nil, err
			}
			return nil, &Error{Code: "denied", Message: err.Error(), Err: err}
		}
	}
	return c.tool.run(ctx, c)
}

// awaits reports whether a call with that input waits for the person.
func (d *Definition) awaits(input json.RawMessage) bool {
	if d.Execution == nil || d.Execution.Mode != ModeClient {
		return false
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(input, &fields) // it fits the schema of an object
	for _, name := range d.Execution.AwaitIf {
		switch strings.Join(strings.Fields(string(fields[name])), "") {
		case "", "null", "false", "0", `""`, "[]", "{}":
			return false
		}
	}
	return true
}

// told is what an agent reads of a display.
func told(name, space string, s Shown) *sdk.CallToolResult {
	switch s.State {
	case StateAnswered:
		res := text(string(s.Answer))
		if len(s.Answer) == 0 {
			res = text("null")
		}
		if v := arguments(s.Answer); v[0] == '{' && json.Valid(v) && len(s.Answer) > 0 {
			res.StructuredContent = v
		}
		return res
	case StateCancelled:
		return state(s.State, "The person closed "+name+" without an answer.")
	case StateExpired:
		return state(s.State, name+" was not answered in time. It can still be answered; the answer then comes to you as a prompt. Do not ask again.")
	}
	if space == "" {
		return state("silent", "Done. Nothing was shown, since there was no targetSpaceId.")
	}
	return state(StateShown, "Shown.")
}

// state is a result that programs can tell apart too.
func state(name, sentence string) *sdk.CallToolResult {
	res := text(sentence)
	res.StructuredContent = map[string]string{"state": name}
	return res
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// structured is a result with the same thing as text, for models, and as a value, for programs.
func structured(v any) (*sdk.CallToolResult, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	res := text(string(raw))
	res.StructuredContent = json.RawMessage(raw)
	return res, nil
}

// failed is the result of a call that failed.
func failed(e *Error) *sdk.CallToolResult {
	res := text(e.Message)
	res.IsError = true
	res.StructuredContent = map[string]string{"code": e.Code, "message": e.Message}
	return res
}

// outcome is the result of a tool as a display keeps it: as MCP has it.
func outcome(res *sdk.CallToolResult, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(res)
	if err != nil {
		return nil, err
	}
	if res.IsError {
		message := "The tool failed."
		for _, c := range res.Content {
			if t, ok := c.(*sdk.TextContent); ok && t.Text != "" {
				message = clip.Text(t.Text, 1000)
				break
			}
		}
		return raw, &Error{Code: "failed", Message: message}
	}
	return raw, nil
}
