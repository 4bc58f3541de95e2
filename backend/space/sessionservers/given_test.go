package sessionservers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/backend/acp"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

// gate is a gateway that issues a token for each session.
type gate struct {
	given int
	alive []string
	none  bool
}

func (g *gate) open() (url, token string, release func(), ok bool) {
	if g.none {
		return "", "", nil, false
	}
	g.given++
	token = fmt.Sprintf("the-token-%d", g.given)
	g.alive = append(g.alive, token)
	return "http://127.0.0.1:1/mcp", token, func() { g.alive = slices.DeleteFunc(g.alive, func(s string) bool { return s == token }) }, true
}

func newGiven(g *gate, hide *secret.Redactor) *Given {
	return &Given{
		Servers: func() []settings.MCPServer {
			return []settings.MCPServer{{Name: "files", Type: "stdio", Command: "x"}, {Name: "through", Type: "stdio", Command: "x", Via: settings.ViaGateway}}
		},
		Open: g.open, Program: func() (string, error) { return "/opt/weft", nil }, Hide: hide,
		Secret: func(context.Context, string) (string, error) { return "", nil },
	}
}

func TestOnlyTheLastTokenIsAlive(t *testing.T) {
	t.Parallel()
	var g gate
	var hide secret.Redactor
	given := newGiven(&g, &hide)
	given.Revoke() // there is none
	for i, want := range []string{"the-token-1", "the-token-2"} {
		list, handed := given.Give(acp.AgentCapabilities{MCPHTTP: true})
		if len(list) != 2 || list[0].Stdio.Name != "files" || list[1].Http.Headers[0].Value != "Bearer "+want || len(handed) != 2 || !handed[1].Handed {
			t.Errorf("%d: %+v, %+v", i, list, handed)
		}
		if !slices.Equal(g.alive, []string{want}) || !hide.Knows(want) {
			t.Errorf("%d: alive are %v; hidden: %v", i, g.alive, hide.Knows(want))
		}
	}
	if hide.Knows("the-token-1") {
		t.Error("a token that is dead is still hidden")
	}
	for range 2 {
		given.Revoke()
	}
	if len(g.alive) != 0 || hide.Knows("the-token-2") {
		t.Errorf("alive are %v", g.alive)
	}
}

func TestServersWithoutGateway(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*gate, *Given){
		"nowhere":                func(_ *gate, given *Given) { given.Open = nil },
		"not for this session":   func(g *gate, _ *Given) { g.none = true },
		"program can't be found": func(_ *gate, given *Given) { given.Program = func() (string, error) { return "", errors.New("gone") } },
	} {
		var g gate
		var hide secret.Redactor
		given := newGiven(&g, &hide)
		change(&g, given)
		list, handed := given.Give(acp.AgentCapabilities{})
		if len(list) != 1 || len(handed) != 2 || handed[1].Handed || handed[1].Why != "gateway" {
			t.Errorf("%s: %+v, %+v", name, list, handed)
		}
		given.Revoke()
		if len(g.alive) != 0 || hide.Knows("the-token-1") {
			t.Errorf("%s: a token that nobody has is alive: %v", name, g.alive)
		}
	}
}

func TestGatewayOfAgentWithoutNetwork(t *testing.T) {
	t.Parallel()
	var g gate
	given := newGiven(&g, nil)
	given.Socket = "/run/weft.sock"
	list, _ := given.Give(acp.AgentCapabilities{MCPHTTP: true})
	own := list[len(list)-1].Stdio
	if own == nil || own.Command != "/opt/weft" || !strings.HasSuffix(own.Env[2].Value, "weft.sock") {
		t.Errorf("%+v", own)
	}
}
