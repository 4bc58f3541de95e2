package builtin

import (
	"context"
	"encoding/json"
	"fmt"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
)

// permitMethod is an extension of the protocol: Weft's broker also decides about calls for which agents send no
// permission request. A client announces it with permitMeta in the _meta of its capabilities. All other checks apply
// either way.
const (
	permitMethod = "_weft/permit"
	permitMeta   = "weft/permit"
	permitBatch  = 5000 // paths per request
)

type permitRequest struct {
	SessionID  acp.SessionId   `json:"sessionId"`
	ToolCallID acp.ToolCallId  `json:"toolCallId,omitempty"`
	Kind       string          `json:"kind"`
	Title      string          `json:"title,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Paths      []string        `json:"paths,omitempty"`
	Ask        bool            `json:"ask,omitempty"`
}

type permitResponse struct {
	Denied []int `json:"denied"`
}

// Denied implements tool.Client.
func (c *toolClient) Denied(ctx context.Context, kind string, paths []string) ([]bool, error) {
	out := make([]bool, len(paths))
	for from := 0; from < len(paths); from += permitBatch {
		batch := paths[from:min(from+permitBatch, len(paths))]
		r, err := request[permitResponse](ctx, c.conn, permitMethod, permitRequest{SessionID: c.id, Kind: kind, Paths: batch})
		if err != nil {
			return nil, err
		}
		for _, i := range r.Denied {
			if i < 0 || i >= len(batch) {
				return nil, fmt.Errorf("the client names a path that it wasn't asked about")
			}
			out[from+i] = true
		}
	}
	return out, nil
}

// judged asks the client about a call that runs without a permission request. It skips edits and commands, which the
// client checks when they use its files and terminals.
func (d *doing) judged(ctx context.Context) error {
	t, c := d.turn, d.call
	if !t.agent.client.permits() || c.tool.Unseen || d.ready.Effect == tool.Edits || c.tool.Kind == acp.ToolKindExecute {
		return nil
	}
	p := permitRequest{SessionID: t.session.id, ToolCallID: c.id, Kind: string(c.tool.Kind), Title: c.look.Title, Ask: d.ready.Effect == tool.Reads}
	for _, at := range d.ready.Locations {
		p.Paths = append(p.Paths, at.Path)
	}
	if p.Ask && c.tool.Kind == acp.ToolKindRead && len(p.Paths) == 0 {
		return nil // the kept result of an earlier call
	}
	if !p.Ask {
		p.Paths, p.Input = nil, d.input
	}
	_, err := request[permitResponse](ctx, t.agent.client, permitMethod, p)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &tool.Error{Message: dotted(err), Err: err}
	}
	return nil
}
