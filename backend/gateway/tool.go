package gateway

import (
	"bytes"
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/gateway/tools"
)

// tool is what agents are offered under one name.
type tool struct {
	def     *tools.Definition
	schema  *tools.Schema   // nil where someone else checks the arguments
	offered json.RawMessage // the schema that agents see
	hints   *sdk.ToolAnnotations
	key     string // see [Permit]
	origin  string // what it stands for: the same means that nothing has changed
	// run does what the tool does, but for displays; nil where nothing is done.
	run func(ctx context.Context, c *call) (*sdk.CallToolResult, error)
	// acts tells that the permission broker is asked before it runs.
	acts bool
	// cut tells that arguments which the schema doesn't know are left out (see [tools.Schema.Known]), instead of failing the call.
	cut bool
}

func (t *tool) offer() *sdk.Tool {
	return &sdk.Tool{Name: t.def.Name, Description: t.def.Description, InputSchema: t.offered, Annotations: t.hints}
}

// same reports whether agents and calls would see no difference.
func (t *tool) same(o *tool) bool {
	return o != nil && t.origin == o.origin && t.def.Description == o.def.Description && bytes.Equal(t.offered, o.offered) && t.def.DisplayTool == o.def.DisplayTool && t.def.Visibility == o.def.Visibility
}

// newTool returns the tool of a definition. It runs where the options say.
func newTool(d tools.Definition, opt *Options) (*tool, error) {
	schema, err := d.Check()
	if err != nil {
		return nil, err
	}
	t := &tool{def: &d, key: d.Name, schema: schema, offered: d.InputSchema, cut: d.DisplayTool}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	t.origin = string(text)
	// Showing something, and asking, changes nothing: clients may make several such calls at once.
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
