package tools

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Execute carries out a call of a tool that a web service or a program executes; input fits its schema. It blocks until there is a result, until the
// time of the tool is over, or until ctx ends. A program runs in dir; see agent.Spec for pidDir. Errors: *Error, or that of ctx.
func (d *Definition) Execute(ctx context.Context, input json.RawMessage, dir, pidDir string) (*sdk.CallToolResult, error) {
	if d.Execution.Mode == ModeCommand {
		return d.callCommand(ctx, input, dir, pidDir)
	}
	return d.callHTTP(ctx, input)
}
