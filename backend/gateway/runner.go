package gateway

import (
	"context"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/gateway/tools"
)

// defaultRetryDelay is the default delay before a failed call is retried.
const defaultRetryDelay = time.Second

// runner executes calls: it shows display tools, requests permission, and runs the tool. It is safe for concurrent use.
type runner struct {
	host       Host
	dir        func() string // working directory of commands, see [Options].Dir
	retryDelay time.Duration // delay before a failed call is retried
}

// do executes a call: it validates the arguments, shows the call if it is a display, and then requests permission and
// runs the tool.
func (r *runner) do(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	t := c.tool
	if err := c.parse(); err != nil {
		r.host.Arrived(c.caller, t.def.Name, c.sent)
		return nil, err
	}
	if !t.def.DisplayTool {
		res, err := r.execute(ctx, c)
		return c.noted(res), err
	}
	shown, err := r.host.Show(ctx, c.caller, Show{Tool: t.def, SpaceID: c.space, Input: c.input, Sent: c.sent, Await: c.await, Open: c.open})
	if err != nil {
		return nil, err
	}
	if t.run == nil {
		return c.noted(c.displayResult(shown)), nil
	}
	c.row = shown.Call
	res, err := r.execute(ctx, c)
	if shown.Done != nil {
		shown.Done(c.outcome(res, err))
	}
	return c.noted(res), err
}

// execute requests permission if the tool needs it, and runs the tool.
func (r *runner) execute(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	if c.tool.acts {
		p := Permit{Tool: c.tool.def, Key: c.tool.key, Input: c.input, Sent: c.sent, Call: c.row, Again: c.again}
		if e := c.tool.def.Execution; e != nil && e.Mode == tools.ModeCommand {
			args, err := c.tool.def.CommandArgs(c.input)
			if err != nil {
				return nil, err
			}
			p.Command, p.Dir = append([]string{e.Command}, args...), r.dir()
		}
		if err := r.host.Permit(ctx, c.caller, p); err != nil {
			var own *tools.Error
			if errors.As(err, &own) || ctx.Err() != nil {
				return nil, err
			}
			return nil, &tools.Error{Code: "denied", Message: err.Error(), Err: err}
		}
	}
	return r.run(ctx, c)
}

// run runs the tool of a call. If it fails for a temporary reason and a retry is safe, run retries it once after a
// delay.
func (r *runner) run(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	res, err := c.tool.run(ctx, c)
	if !c.repeats(res, err) {
		return res, err
	}
	wait := time.NewTimer(r.retryDelay)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return res, err
	case <-wait.C:
	}
	c.retried = true
	r.host.Retried(c.caller, c.tool.def.Name, c.sent)
	return c.tool.run(ctx, c)
}
