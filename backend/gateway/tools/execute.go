package tools

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Execute executes a call by a web service or a program. input must fit the schema. It blocks until there is a result,
// the tool's timeout has passed, or ctx ends. A program runs in dir; see agent.Spec for pidDir. Errors: *Error, or that
// of ctx.
func (d *Definition) Execute(ctx context.Context, input json.RawMessage, dir, pidDir string) (*sdk.CallToolResult, error) {
	if d.Execution.Mode == ModeCommand {
		return d.callCommand(ctx, input, dir, pidDir)
	}
	return d.callHTTP(ctx, input)
}
