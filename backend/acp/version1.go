package acp

import (
	"context"

	"weft/backend/base/scan"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// version1 is ACP version 1, in which the response to session/prompt ends the turn.
var version1 = &version{
	number: 1,
	initialize: func(p InitializeParams) any {
		caps := p.Capabilities
		if caps == nil {
			caps = struct{}{}
		}
		return map[string]any{
			"protocolVersion":    1,
			"clientCapabilities": caps,
			"clientInfo":         map[string]string{"name": p.Name, "title": p.Title, "version": p.Version},
		}
	},
	initialized: readInitialize,
	turn: func(ctx context.Context, c *Conn, sessionID string, prompt []sdk.ContentBlock, queued func()) (PromptResult, error) {
		k := &call{method: "session/prompt", session: sessionID, lane: c.lane, done: make(chan struct{}), queued: queued}
		raw, err := c.do(ctx, k, struct {
			SessionID string             `json:"sessionId"`
			Prompt    []sdk.ContentBlock `json:"prompt"`
		}{sessionID, some(prompt)})
		if err != nil {
			return PromptResult{}, err
		}
		return ReadPrompt(raw), nil
	},
}

func readInitialize(raw jsontext.Value) InitializeResult {
	r := InitializeResult{Raw: raw}
	for name, v := range scan.Fields(raw) {
		switch string(name) {
		case "protocolVersion":
			r.ProtocolVersion, _ = scan.Integer(v)
		case "agentInfo":
			r.Name, _ = scan.Text(scan.Member(v, "name"))
			r.Title, _ = scan.Text(scan.Member(v, "title"))
			r.Version, _ = scan.Label(scan.Member(v, "version"))
		case "agentCapabilities":
			r.Capabilities = readCapabilities(v)
		case "authMethods":
			r.AuthMethods = readAuthMethods(v)
		}
	}
	return r
}
