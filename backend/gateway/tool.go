package gateway

import (
	"bytes"
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/gateway/tools"
)

// tool is a tool offered to agents.
type tool struct {
	def     *tools.Definition
	schema  *tools.Schema   // nil if an MCP server checks the arguments
	offered json.RawMessage // the schema that agents see
	hints   *sdk.ToolAnnotations
	key     string // see [Permit]
	origin  string // identifies the definition or the server's tool; equal if nothing has changed
	// run executes the tool; nil for a display that is only shown.
	run func(ctx context.Context, c *call) (*sdk.CallToolResult, error)
	// acts means that running the tool needs permission.
	acts bool
	// prune means that unknown arguments are left out (see [tools.Schema.Known]) instead of failing the call.
	prune bool
}

func (t *tool) offer() *sdk.Tool {
	return &sdk.Tool{Name: t.def.Name, Description: t.def.Description, InputSchema: t.offered, Annotations: t.hints}
}

// same reports whether t and o don't differ for agents and calls.
func (t *tool) same(o *tool) bool {
	return o != nil && t.origin == o.origin && t.def.Description == o.def.Description && bytes.Equal(t.offered, o.offered) && t.def.DisplayTool == o.def.DisplayTool && t.def.Visibility == o.def.Visibility
}

// newTool returns the tool of a definition. Its error is a sentence.
func newTool(d tools.Definition, opt *Options) (*tool, error) {
	schema, err := d.Check()
	if err != nil {
		return nil, err
	}
	t := &tool{def: &d, key: d.Name, schema: schema, offered: d.InputSchema, prune: d.DisplayTool}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	t.origin = string(text)
	// A display changes nothing, so clients may make several such calls at once.
	t.hints = &sdk.ToolAnnotations{Title: d.Title, ReadOnlyHint: !d.Acts(), IdempotentHint: d.Execution.Idempotent()}
	if d.DisplayTool {
		if t.offered, err = schema.Offered(d.InputSchema); err != nil {
			return nil, err
		}
		if t.offered, err = tools.WithTarget(t.offered); err != nil {
			return nil, err
		}
	}
	if e := d.Execution; e != nil && (e.Mode == tools.ModeHTTP || e.Mode == tools.ModeCommand) {
		t.acts = true
		t.run = func(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
			return c.tool.def.Execute(ctx, c.input, opt.dir(), opt.PidDir)
		}
	}
	return t, nil
}
