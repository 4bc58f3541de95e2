package gateway

import (
	"context"
	"encoding/json"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript"

	"weft/backend/gateway/tools"
)

// repeats reports whether to retry a call with this result: the tool did nothing, or the failure may pass and it is
// safe to call the tool twice.
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

// harmless reports whether the tool is read-only or idempotent according to its server or its definition.
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

// Again repeats a failed call for the user. It blocks until the tool has returned, and returns the MCP result as JSON.
// Its errors are sentences for the user.
func (g *Gateway) Again(ctx context.Context, caller Caller, name string, sent json.RawMessage) (json.RawMessage, error) {
	t := g.Catalog().named(name)
	if t == nil || t.run == nil {
		return nil, &tools.Error{Code: "no_tool", Message: "The tool " + clip.Text(name, 100) + " no longer exists."}
	}
	c := &call{caller: caller, tool: t, sent: arguments(sent), again: true, beat: &beat{ctx: ctx}}
	if err := c.parse(); err != nil {
		return nil, err
	}
	return outcome(g.runner.execute(ctx, c))
}
