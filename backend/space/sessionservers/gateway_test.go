package sessionservers

import (
	"errors"
	"testing"

	"weft/backend/acp"
)

func TestGatewayAsTheAgentCanReachIt(t *testing.T) {
	t.Parallel()
	exe := func() (string, error) { return "/opt/weft", nil }
	for name, c := range map[string]struct {
		can    acp.AgentCapabilities
		socket string
		http   bool
		env    int
	}{
		"over HTTP":         {acp.AgentCapabilities{MCPHTTP: true}, "", true, 0},
		"over stdio":        {acp.AgentCapabilities{}, "", false, 2},
		"without a network": {acp.AgentCapabilities{MCPHTTP: true}, "/run/weft.sock", false, 3},
	} {
		s, err := Gateway{URL: "http://127.0.0.1:1/mcp", Token: "t", Socket: c.socket}.Server(c.can, exe)
		switch {
		case err != nil || (s.Http != nil) != c.http || (s.Stdio != nil) == c.http:
			t.Errorf("%s: %+v, %v", name, s, err)
		case c.http && (s.Http.Url != "http://127.0.0.1:1/mcp" || s.Http.Headers[0].Value != "Bearer t"):
			t.Errorf("%s: %+v", name, s.Http)
		case !c.http && (s.Stdio.Command != "/opt/weft" || s.Stdio.Args[0] != "mcp-stdio" || len(s.Stdio.Env) != c.env):
			t.Errorf("%s: %+v", name, s.Stdio)
		}
	}
	if _, err := (Gateway{}).Server(acp.AgentCapabilities{}, func() (string, error) { return "", errors.New("gone") }); err == nil {
		t.Error("the program can't be found, and yet there is a server")
	}
}

func TestServersThatTheAgentHasConnectedTo(t *testing.T) {
	t.Parallel()
	before := []Handed{{Name: "a", Handed: true}, {Name: "b", Why: "transport"}, {Name: "c", Handed: true, Connected: true}}
	now, changed := Connect(before, func(*Handed) bool { return true })
	if !changed || !now[0].Connected || now[1].Connected || before[0].Connected || !Waits(before) || Waits(now) {
		t.Errorf("%+v, before %+v", now, before)
	}
	if again, changed := Connect(now, func(*Handed) bool { return true }); changed || &again[0] != &now[0] {
		t.Error("nothing has changed, and yet a copy is made")
	}
}
