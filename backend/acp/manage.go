package acp

import (
	"context"
	"fmt"

	sdk "github.com/coder/acp-go-sdk"
)

// ForkSession copies a session with its conversation (session/fork, not in the stable protocol). It
// fails with an [*RPCError] if the agent doesn't know the session, and with [ErrSessionTaken] like
// [Conn.NewSession]. Updates of the copy may arrive before the response.
func (c *Conn) ForkSession(ctx context.Context, sessionID, cwd string, list []sdk.McpServer) (SessionResult, error) {
	k := &call{method: methodFork, lane: c.lane, done: make(chan struct{})}
	raw, err := c.do(ctx, k, map[string]any{"sessionId": sessionID, "cwd": cwd, "mcpServers": servers(list)})
	if err != nil {
		return SessionResult{}, err
	}
	if k.taken {
		return SessionResult{}, ErrSessionTaken
	}
	r := readSession("", raw)
	if r.SessionID == "" || r.SessionID == sessionID {
		return r, fmt.Errorf("the agent copied a session without a new id: %.200s", raw)
	}
	return r, nil
}

// CloseSession closes a session (session/close). It can be resumed later.
func (c *Conn) CloseSession(ctx context.Context, sessionID string) error {
	_, err := c.call(ctx, "session/close", sessionID, map[string]string{"sessionId": sessionID})
	return err
}

// DeleteSession deletes a session for good (session/delete, not in the stable protocol).
func (c *Conn) DeleteSession(ctx context.Context, sessionID string) error {
	_, err := c.call(ctx, "session/delete", sessionID, map[string]string{"sessionId": sessionID})
	return err
}
