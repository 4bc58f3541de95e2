package sessionservers

import (
	"context"
	"sync/atomic"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/secret"
	"weft/backend/settings"
)

// Given are the MCP servers of one session: those of the user, and Weft's own tools, which the session reaches with a token of its own. The token is
// dead once the agent is given others, or with [Given.Revoke].
type Given struct {
	// Servers returns those of the user.
	Servers func() []settings.MCPServer
	// Open returns where the session reaches Weft's own tools, with a token that is dead after release; ok is false, or it is nil, if nowhere.
	Open func() (url, token string, release func(), ok bool)
	// Socket is where they are reached without a network; "" if the agent has one.
	Socket string
	// Program returns the path of this program, which passes the messages on for agents that can't reach the tools themselves.
	Program func() (string, error)
	// Secret reads a secret that the settings name. It may block for the keychain.
	Secret func(ctx context.Context, ref string) (string, error)
	// Hide hides the token as long as it is alive; nil: it isn't hidden.
	Hide *secret.Redactor

	release atomic.Pointer[func()] // lets the token die
}

// Give returns what the agent is given in a new or continued session, and what became of each of the user's servers. It blocks for the keychain at
// worst. Only one call of it may run at a time.
func (g *Given) Give(can acp.AgentCapabilities) (list []sdk.McpServer, handed []Handed) {
	own, release := g.gateway(can)
	list, handed = Convert(g.Servers(), can, len(own) > 0, secret.Reader(context.Background(), g.Secret))
	g.Revoke() // of a session that could not be continued
	if release != nil {
		g.release.Store(&release)
	}
	return append(list, own...), handed
}

// gateway returns Weft's own tools as a server of the session: over HTTP, or for agents that take only stdio through a
// process that passes the messages on.
func (g *Given) gateway(can acp.AgentCapabilities) (own []sdk.McpServer, release func()) {
	if g.Open == nil {
		return nil, nil
	}
	url, token, revoke, ok := g.Open()
	if !ok {
		return nil, nil
	}
	g.Hide.Add(token)
	release = func() {
		revoke()
		g.Hide.Remove(token) // nothing can be done with it any more
	}
	server, err := Gateway{URL: url, Token: token, Socket: g.Socket}.Server(can, g.Program)
	if err != nil {
		release()
		return nil, nil
	}
	return []sdk.McpServer{server}, release
}

// Revoke lets the session's token die, and reports whether it was alive. It may be called at any time, from any goroutine.
func (g *Given) Revoke() bool {
	release := g.release.Swap(nil)
	if release != nil {
		(*release)()
	}
	return release != nil
}
