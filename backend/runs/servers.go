package runs

import (
	"context"
	"os"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/agentproc"
	"weft/backend/secret"
	"weft/backend/sessionservers"
	"weft/backend/settings"
	"weft/backend/transcript"
)

// hand returns what the agent is handed in a new or continued session, and keeps what became of
// each server. It blocks for the keychain at worst.
func (l *liveSession) hand() []sdk.McpServer {
	own, release := l.gateway()
	list, handed := sessionservers.Convert(l.s.m.opt.MCPServers(), l.session.About.Capabilities, len(own) > 0, secret.Reader(context.Background(), l.s.m.Secret))
	for _, h := range handed {
		if !h.Handed {
			l.s.m.opt.Log.Warn().Str("agent", l.config.ID).Str("server", h.Name).Str("why", h.Why).Msg("an MCP server was not handed to the agent")
		}
	}
	l.s.Lock()
	l.servers.Set(handed)
	l.s.Unlock()
	l.shut() // of a session that could not be continued
	if release != nil {
		l.release.Store(&release)
	}
	return append(list, own...)
}

// gateway returns Weft's own tools as a server of the session: over HTTP, or for agents that take only stdio through a
// process that passes the messages on.
func (l *liveSession) gateway() (own []sdk.McpServer, release func()) {
	open := l.s.m.opt.Gateway
	if open == nil || l.config.ID == settings.GuideID {
		return nil, nil
	}
	url, token, release, ok := open(l.s.space.ID, l.s.member.ID, l.s.space.AgentID)
	if !ok {
		return nil, nil
	}
	hide, revoke := l.s.m.redactor(), release
	hide.Add(token)
	release = func() {
		revoke()
		hide.Remove(token) // nothing can be done with it any more
	}
	gateway := sessionservers.Gateway{URL: url, Token: token}
	if l.plan != nil && l.plan.Offline {
		gateway.Socket = agentproc.GatewaySocket(l.s.m.opt.DataDir)
	}
	server, err := gateway.Server(l.session.About.Capabilities, os.Executable)
	if err != nil {
		release()
		return nil, nil
	}
	return []sdk.McpServer{server}, release
}

// shut lets the session's token die.
func (l *liveSession) shut() {
	if release := l.release.Swap(nil); release != nil {
		(*release)()
	}
}

// seesServer notes which of the servers that the agent was offered it uses, by a call as it reports it. The lock is held.
func (l *liveSession) seesServer(p *transcript.ToolPatch) {
	if !l.calls.Names(p) || !l.servers.Waits() {
		return
	}
	call := l.calls.With(p)
	c := transcript.ToolCall{Title: call.Title, Kind: call.Kind, Input: call.Input}
	if p.Name != nil {
		c.Name = *p.Name
	}
	if l.servers.Called(&c) {
		l.s.offerChanged(l)
	}
}
