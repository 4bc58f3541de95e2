package acp

import (
	"context"
	"fmt"

	sdk "github.com/coder/acp-go-sdk"
)

// ForkSession has the agent copy a session, with everything that was said in it (session/fork, not in the
// stable protocol). It fails with an [*RPCError] where the agent does not know the session. Updates of
// the copy may come before the response. In a lane it fails with [ErrSessionTaken] as [Conn.NewSession] does.
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

// CloseSession tells the agent that a session is not used any more (session/close). It may be resumed later.
func (c *Conn) CloseSession(ctx context.Context, sessionID string) error {
	_, err := c.call(ctx, "session/close", sessionID, map[string]string{"sessionId": sessionID})
	return err
}

// DeleteSession has the agent forget a session forever (session/delete, not in the stable protocol).
func (c *Conn) DeleteSession(ctx context.Context, sessionID string) error {
	_, err := c.call(ctx, "session/delete", sessionID, map[string]string{"sessionId": sessionID})
	return err
}
