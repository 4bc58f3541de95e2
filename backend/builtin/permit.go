package builtin

import (
	"context"
	"encoding/json"
	"fmt"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
)

// Weft's broker decides about all that the agent does, also about what no agent sends a permission request for: an extension of the protocol,
// which a client says that it answers with permitMeta in the _meta of its capabilities. Without it everything else holds all the same.
const (
	permitMethod = "_weft/permit"
	permitMeta   = "weft/permit"
	permitBatch  = 5000 // paths of one request
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

// judged asks the client about a call that runs without a permission request. What goes through its files and terminals it judges there.
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
		return nil // what was kept of an earlier call
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
