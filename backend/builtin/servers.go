package builtin

import (
	"context"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/mcptools"
	"weft/backend/settings/secret"
)

// servers are the MCP servers of a session. They are connected in the background, while the user writes the first
// prompt.
type servers struct {
	ready chan struct{}
	set   *mcptools.Set
	end   context.CancelFunc
}

// connectServers starts connecting servers in a goroutine of group. The connections end with ctx.
func connectServers(ctx context.Context, group *sync.WaitGroup, list []acp.McpServer, dir string) *servers {
	ctx, end := context.WithCancel(ctx)
	m := &servers{ready: make(chan struct{}), end: end}
	group.Go(func() {
		m.set = mcptools.Connect(ctx, list, mcptools.Options{Dir: dir})
		close(m.ready)
	})
	return m
}

// wait blocks until all servers are connected or have failed. It returns nil if ctx ends first or there are no servers.
func (m *servers) wait(ctx context.Context) *mcptools.Set {
	if m == nil {
		return nil
	}
	select {
	case <-m.ready:
		return m.set
	case <-ctx.Done():
		return nil
	}
}

func (m *servers) close() {
	if m != nil {
		m.end()
		<-m.ready
		m.set.Close()
	}
}

// hideKeys adds the secrets in the configuration of MCP servers to the redactor, because their tools may print them.
func hideKeys(in *secret.Redactor, list []acp.McpServer) {
	hide := func(name, value string) {
		if secret.Called(name, value) && secret.Telling(value) {
			in.Add(value)
		}
	}
	headers := func(list []acp.HttpHeader) {
		for _, h := range list {
			if strings.EqualFold(h.Name, "Authorization") {
				// The redactor also looks for the part after the scheme.
				in.Add(h.Value)
			}
			hide(h.Name, h.Value)
		}
	}
	for _, server := range list {
		switch {
		case server.Stdio != nil:
			for _, v := range server.Stdio.Env {
				hide(v.Name, v.Value)
			}
		case server.Http != nil:
			headers(server.Http.Headers)
		case server.Sse != nil:
			headers(server.Sse.Headers)
		}
	}
}
