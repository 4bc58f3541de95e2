// Package mcptools provides the tools of the MCP servers that a client configures for a session of the built-in agent.
//
// Servers are not trusted: their output is bounded, a failing server only adds a sentence to [Set.Problems], and a
// tool's hints (that it only reads) never spare the user a question. A server that ended is restarted when it is next
// needed. [Set.Close] leaves no processes behind.
package mcptools

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/agent/mcp"
	"weft/backend/base/fault"
	"weft/backend/builtin/tool"
)

// Options are the options of a set.
type Options struct {
	Version     string // of Weft
	Dir         string // absolute working directory of stdio servers
	ConnectTime time.Duration
	CallTime    time.Duration // timeout of one call
	// Changed is called from any goroutine when the tools may have changed. It may be nil.
	Changed func()
}

// Defaults and limits.
const (
	connectTime = 30 * time.Second
	callTime    = 10 * time.Minute
	maxServers  = 64
	maxTools    = 300 // of all servers; no model can handle more
)

// Set holds the servers of one session. It is safe for concurrent use.
type Set struct {
	opt     Options
	servers []*server
	cancel  context.CancelFunc

	mu       sync.Mutex
	problems []fault.Said
	names    map[key]string // tool names, which stay the same during the session
	taken    map[string]bool
}

// key identifies a tool by its server's index in the set and its name there.
type key struct {
	server int
	tool   string
}

// Connect connects to all servers concurrently. It blocks until each has listed its tools or has failed, at most for
// [Options.ConnectTime] (30 s if 0). ctx applies only to connecting; the connections last until Close.
func Connect(ctx context.Context, servers []acp.McpServer, opt Options) *Set {
	opt.ConnectTime, opt.CallTime = cmp.Or(opt.ConnectTime, connectTime), cmp.Or(opt.CallTime, callTime)
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	s := &Set{opt: opt, cancel: cancel, names: map[key]string{}, taken: map[string]bool{}}
	if len(servers) > maxServers {
		s.problem(fault.Say("There are more than {{max}} MCP servers; the others aren't used.", maxServers))
		servers = servers[:maxServers]
	}
	for _, one := range servers {
		to, ok := reached(one)
		if !ok {
			s.problem(fault.Say("An MCP server of an unknown type isn't used."))
			continue
		}
		s.servers = append(s.servers, newServer(life, to, opt, len(s.servers)))
	}
	var wg sync.WaitGroup
	failed := make([]fault.Said, len(s.servers))
	for i, one := range s.servers {
		wg.Go(func() { failed[i] = one.begin(ctx) })
	}
	wg.Wait()
	for _, why := range failed {
		if why != "" {
			s.problem(why)
		}
	}
	return s
}

func (s *Set) problem(sentence fault.Said) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, sentence)
}

// Problems returns sentences for the user about servers that can't be used, or only in part.
func (s *Set) Problems() []fault.Said {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Tools returns the current tools of the servers, in the order of the servers. A tool keeps its name during the
// session.
func (s *Set) Tools() []tool.Tool {
	var out []tool.Tool
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.servers {
		for _, offered := range one.standing.Tools() {
			if len(out) == maxTools {
				return out
			}
			k := key{one.number, offered.Name}
			if s.names[k] == "" {
				s.names[k] = s.free(one.to.Name, offered.Name)
			}
			out = append(out, one.made(s.names[k], offered))
		}
	}
	return out
}

// Close ends all servers and their child processes. It blocks for a few seconds at most.
func (s *Set) Close() {
	var wg sync.WaitGroup
	for _, one := range s.servers {
		wg.Go(one.standing.Close)
	}
	wg.Wait()
	s.cancel()
}

// reached converts the protocol's configuration of a server. It returns false for an unknown transport.
func reached(s acp.McpServer) (mcp.Server, bool) {
	switch {
	case s.Stdio != nil:
		env := map[string]string{}
		for _, v := range s.Stdio.Env {
			env[v.Name] = v.Value
		}
		return mcp.Server{Name: named(s.Stdio.Name), Type: "stdio", Command: s.Stdio.Command, Args: s.Stdio.Args, Env: env}, true
	case s.Http != nil:
		return mcp.Server{Name: named(s.Http.Name), Type: "http", URL: s.Http.Url, Headers: headers(s.Http.Headers)}, true
	case s.Sse != nil:
		return mcp.Server{Name: named(s.Sse.Name), Type: "sse", URL: s.Sse.Url, Headers: headers(s.Sse.Headers)}, true
	}
	return mcp.Server{}, false
}

func headers(list []acp.HttpHeader) map[string]string {
	out := map[string]string{}
	for _, h := range list {
		out[h.Name] = h.Value
	}
	return out
}
