package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/agent/mcp"
	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"

	"weft/backend/gateway/tools"
)

const (
	maxProxied     = 300 // tools of all servers together
	maxTheirSchema = 256 << 10
	maxTheirs      = 4 << 10 // bytes of a description
)

// proxy adds the tools of a server that aren't switched off.
func (b *builder) proxy(u *upstream) {
	to := u.settings()
	for _, one := range u.standing.Tools() {
		how, ok := to.Tools[one.Name]
		if !ok {
			how = to.Others
		}
		if how.Off {
			continue
		}
		if len(b.made.order) >= maxProxied+len(tools.ReservedNames()) {
			b.omit(to.Name, fault.Say("There are more than {{max}} tools; the others of this server are left out.", maxProxied))
			return
		}
		t, err := b.proxied(u, to.Name, one, how)
		if err != nil {
			b.omit(to.Name, fault.Say("The tool {{tool}} is left out. {{reason}}", clip.Text(one.Name, 100), err))
			continue
		}
		b.add(t)
	}
}

// proxied returns the tool for a server's tool.
func (b *builder) proxied(u *upstream, server string, one *sdk.Tool, how ToolSwitch) (*tool, error) {
	raw, err := json.Marshal(one.InputSchema)
	if err != nil || len(raw) > maxTheirSchema {
		return nil, fault.New(fault.Invalid, "Its schema is too long.")
	}
	list, err := tools.Members(raw)
	if err != nil {
		list, raw = nil, json.RawMessage(`{"type":"object"}`)
	}
	typed := false
	for _, m := range list {
		typed = typed || m.Name == "type" && string(m.Value) == `"object"`
		// The gateway can't forward such headers, and the SDK would panic on the schema.
		if strings.Contains(string(m.Value), `"x-mcp-header"`) {
			return nil, fault.New(fault.Invalid, "It requires arguments in HTTP headers, which the gateway doesn't pass on.")
		}
	}
	if !typed {
		raw = json.RawMessage(`{"type":"object"}`)
	}
	offered := json.RawMessage(raw)
	if how.Display {
		// The server validates the arguments, but the name of the target must be free.
		c, err := tools.Compile(raw)
		if err == nil && c.HasTarget() || err != nil && strings.Contains(string(raw), `"`+tools.TargetName+`"`) {
			return nil, fault.New(fault.Invalid, "Its schema already has a property targetSpaceId, so it can't be a display tool. Switch it to internal.")
		}
		if offered, err = tools.WithTarget(raw); err != nil {
			return nil, fault.New(fault.Invalid, "Its schema can't be read: {{reason}}.", clip.Text(err.Error(), 200))
		}
	}
	description := clip.Text(one.Description, maxTheirs)
	if description == "" {
		description = clip.Text(one.Title, maxTheirs)
	}
	d := &tools.Definition{
		Name: b.names.of(server, one.Name, b.made.tools), Description: description, InputSchema: raw,
		DisplayTool: how.Display, Execution: tools.Proxied, Visibility: how.Visibility,
	}
	theirs := one.Name
	var hints *sdk.ToolAnnotations
	if one.Annotations != nil {
		copied := *one.Annotations
		hints = &copied
	}
	return &tool{
		def: d, key: server + "/" + theirs, offered: offered, hints: hints, origin: fmt.Sprintf("%p/%s", u, theirs), acts: true,
		run: func(ctx context.Context, c *call) (*sdk.CallToolResult, error) { return u.call(ctx, c, theirs) },
	}, nil
}

// call calls a tool of the server. It first reconnects a server that has ended.
func (u *upstream) call(ctx context.Context, c *call, theirs string) (*sdk.CallToolResult, error) {
	res, err := u.standing.Call(ctx, callTime, &sdk.CallToolParams{Name: theirs, Arguments: c.input}, c.beat.tell)
	if err == nil {
		res.Meta = nil // meant for Weft, not for the agent
		return res, nil
	}
	var e *mcp.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	server := "The MCP server " + u.name()
	switch e.Code {
	case mcp.CodeUnreachable:
		return nil, &tools.Error{Code: "unreachable", Message: server + " can't be reached. " + e.Message, Err: err, Passing: true, Undone: true}
	case mcp.CodeTimeout:
		return nil, &tools.Error{Code: "timeout", Message: fmt.Sprintf("%s didn't answer within %s, so the call was canceled.", server, callTime), Err: err}
	case mcp.CodeRefused:
		return nil, &tools.Error{Code: "failed", Message: server + " rejected the call: " + e.Message, Err: err, Passing: transcript.MayPass(e.Message), Undone: transcript.Refused(e.Message)}
	}
	return nil, &tools.Error{Code: "unreachable", Message: server + " lost the connection during the call. " + e.Message + " Weft reconnects when it is next needed. The call may have been carried out, so check before you repeat it.", Err: err, Passing: true}
}
