package sessionservers

import (
	"context"
	"sync/atomic"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

// Given are the MCP servers of one session: the user's servers, and Weft's own tools, which the session reaches with
// its own token. The token is revoked by the next [Given.Give] or by [Given.Revoke].
type Given struct {
	// Servers returns the user's servers.
	Servers func() []settings.MCPServer
	// Open returns the address of Weft's own tools and a token, which release revokes. ok is false if they aren't
	// available; Open may be nil.
	Open func() (url, token string, release func(), ok bool)
	// Socket is the address for an agent without network access, otherwise "".
	Socket string
	// Program returns the path of this program, which forwards messages for agents that can't reach the tools
	// directly.
	Program func() (string, error)
	// Secret reads a secret that the settings refer to. It may block for the keychain.
	Secret func(ctx context.Context, ref string) (string, error)
	// Hide redacts the token while it is valid; nil: it isn't redacted.
	Hide *secret.Redactor

	release atomic.Pointer[func()] // revokes the token
}

// Give returns the servers for a new or continued session, and the outcome for each of the user's servers. It may
// block for the keychain. It must not be called concurrently.
func (g *Given) Give(can acp.AgentCapabilities) (list []sdk.McpServer, handed []Handed) {
	own, release := g.gateway(can)
	list, handed = Convert(g.Servers(), can, len(own) > 0, secret.Reader(context.Background(), g.Secret))
	g.Revoke() // of a session that couldn't be continued
	if release != nil {
		g.release.Store(&release)
	}
	return append(list, own...), handed
}

// gateway returns Weft's own tools as a server of the session: over HTTP, or for agents that support only stdio
// through a process that forwards messages.
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
		g.Hide.Remove(token) // it is useless now
	}
	server, err := Gateway{URL: url, Token: token, Socket: g.Socket}.Server(can, g.Program)
	if err != nil {
		release()
		return nil, nil
	}
	return []sdk.McpServer{server}, release
}

// Revoke revokes the session's token and reports whether it was valid. It is safe for concurrent use.
func (g *Given) Revoke() bool {
	release := g.release.Swap(nil)
	if release != nil {
		(*release)()
	}
	return release != nil
}
