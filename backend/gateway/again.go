package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/clip"
	"weft/backend/transcript"

	"weft/backend/gateway/tools"
)

// repeatAfter is how long after a passing failure a call is made once more.
const repeatAfter = time.Second

// run runs the tool of a call and, where it failed for a reason that passes and doing it twice does no harm, once more
// after a moment.
func (g *Gateway) run(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	res, err := c.tool.run(ctx, c)
	if !c.repeats(res, err) {
		return res, err
	}
	wait := time.NewTimer(g.opt.repeat)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return res, err
	case <-wait.C:
	}
	c.retried = true
	g.opt.Host.Retried(c.caller, c.tool.def.Name, c.sent)
	return c.tool.run(ctx, c)
}

// repeats reports whether a call that ended so is made again by itself: nothing was done, or the tool only reads or may
// be called twice, and the failure is one that passes.
func (c *call) repeats(res *sdk.CallToolResult, err error) bool {
	var own *tools.Error
	switch {
	case errors.As(err, &own):
		return own.Undone || own.Passing && c.tool.harmless()
	case err != nil || !res.IsError:
		return false
	}
	text := firstText(res)
	return transcript.Refused(text) || c.tool.harmless() && transcript.MayPass(text)
}

// harmless reports whether calling a tool twice does no more than calling it once, as its server or its definition says.
func (t *tool) harmless() bool {
	return t.hints != nil && (t.hints.ReadOnlyHint || t.hints.IdempotentHint)
}

func firstText(res *sdk.CallToolResult) string {
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok && t.Text != "" {
			return clip.Text(t.Text, 1000)
		}
	}
	return ""
}

// retriedMeta marks, in the _meta of a result, that a second call brought it.
const retriedMeta = "weft/wasRetried"

// Again makes a call of a tool once more that had failed, as the user asks for it. It returns the result as MCP has it,
// and blocks as long as the tool does. Its errors are sentences for the user.
func (g *Gateway) Again(ctx context.Context, caller Caller, name string, sent json.RawMessage) (json.RawMessage, error) {
	g.mu.Lock()
	t := g.named(name)
	g.mu.Unlock()
	if t == nil || t.run == nil {
		return nil, &tools.Error{Code: "no_tool", Message: "The tool " + clip.Text(name, 100) + " no longer exists."}
	}
	c := &call{caller: caller, tool: t, sent: arguments(sent), again: true, beat: &beat{ctx: ctx}}
	if err := c.read(); err != nil {
		return nil, err
	}
	return outcome(g.execute(ctx, c))
}

// Runs reports whether a tool is one that the gateway runs.
func (g *Gateway) Runs(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.named(name)
	return t != nil && t.run != nil
}
