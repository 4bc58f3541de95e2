package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/backend/agent/agenttest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"weft/backend/base/simtest"
	"weft/backend/gateway/tools"
)

// The test binary is also the supervisor, an MCP server, a command and the bridge.
func TestMain(m *testing.M) {
	agenttest.Main(m, map[string]func(args []string){
		"serve":     func([]string) { _ = orchard().Run(context.Background(), &sdk.StdioTransport{}) },
		"command":   func(args []string) { os.Exit(commandMain(args)) },
		"mcp-stdio": func([]string) { os.Exit(Stdio(context.Background(), os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// commandMain is a program that behaves in one of many ways.
func commandMain(args []string) int {
	switch args[0] {
	case "tell":
		in, _ := io.ReadAll(os.Stdin)
		out, _ := json.Marshal(map[string]any{"args": args[1:], "stdin": string(in)})
		_, _ = os.Stdout.Write(out)
	case "fail":
		fmt.Fprintln(os.Stderr, "no apples")
		return 3
	case "flood":
		for {
			if _, err := fmt.Println(strings.Repeat("x", 1000)); err != nil {
				return 1
			}
		}
	case "hang":
		time.Sleep(time.Hour)
	}
	return 0
}

// fakeHost is a host of functions; what is not given answers with nothing.
type fakeHost struct {
	spaces   func(Caller) ([]Space, error)
	messages func(Caller, string, int, string) (Page, error)
	runs     func(Caller) ([]Run, error)
	post     func(context.Context, Caller, Post) (Posted, error)
	show     func(context.Context, Caller, Show) (Shown, error)
	permit   func(context.Context, Caller, Permit) error
	retried  func(tool string)
}

// Reached implements Host.
func (h *fakeHost) Reached(Caller, string) error { return nil }

func (h *fakeHost) Spaces(_ context.Context, c Caller) ([]Space, error) {
	if h.spaces == nil {
		return nil, nil
	}
	return h.spaces(c)
}

func (h *fakeHost) Messages(_ context.Context, c Caller, space string, limit int, before string) (Page, error) {
	if h.messages == nil {
		return Page{}, nil
	}
	return h.messages(c, space, limit, before)
}

func (h *fakeHost) Runs(_ context.Context, c Caller) ([]Run, error) {
	if h.runs == nil {
		return nil, nil
	}
	return h.runs(c)
}

func (h *fakeHost) SearchHistory(_ context.Context, _ Caller, s HistorySearch) (History, error) {
	return History{Scope: s.Scope, Results: []HistoryMatch{{Link: "weft://space/home#m1", Excerpt: fmt.Sprintf("%s %d %d", s.Query, s.Limit, s.Next)}}}, nil
}

func (h *fakeHost) ReadConversation(_ context.Context, _ Caller, link string, around int) (Conversation, error) {
	return Conversation{Space: "Home", Messages: []LinkedText{{Link: link, Text: fmt.Sprint(around)}}}, nil
}

func (h *fakeHost) Post(ctx context.Context, c Caller, p Post) (Posted, error) {
	if h.post == nil {
		return Posted{}, nil
	}
	return h.post(ctx, c, p)
}

func (h *fakeHost) Show(ctx context.Context, c Caller, s Show) (Shown, error) {
	if h.show == nil {
		return Shown{State: StateShown}, nil
	}
	return h.show(ctx, c, s)
}

func (h *fakeHost) Arrived(Caller, string, json.RawMessage) {}

// Retried implements Host.
func (h *fakeHost) Retried(_ Caller, tool string, _ json.RawMessage) {
	if h.retried != nil {
		h.retried(tool)
	}
}

func (h *fakeHost) Permit(ctx context.Context, c Caller, p Permit) error {
	if h.permit == nil {
		return nil
	}
	return h.permit(ctx, c, p)
}

var caller = Caller{SpaceID: "home", AgentID: "cook"}

func open(t testing.TB, opt Options) *Gateway {
	t.Helper()
	if opt.Host == nil {
		opt.Host = &fakeHost{}
	}
	opt.Log = zerolog.Nop()
	// An agent waits a few seconds for servers that are being connected, which is not long enough on a busy machine.
	opt.wait = cmp.Or(opt.wait, simtest.Patience)
	if opt.Dir == "" {
		opt.Dir = t.TempDir()
	}
	g, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), simtest.Patience)
		defer cancel()
		if err := g.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return g
}

// bearer adds a token to each request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// dial is an agent with a session of its own.
func dial(t testing.TB, g *Gateway, opt *sdk.ClientOptions) (client *sdk.ClientSession, release func()) {
	t.Helper()
	url, token, release := g.Session(caller)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, opt).
		Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{token}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session, release
}

// calls calls a tool with JSON for arguments and returns the text of the result.
func calls(ctx context.Context, t testing.TB, c *sdk.ClientSession, tool, arguments string) (text string, failed bool) {
	t.Helper()
	params := &sdk.CallToolParams{Name: tool}
	if arguments != "" {
		params.Arguments = json.RawMessage(arguments)
	}
	res, err := c.CallTool(ctx, params)
	if err != nil {
		t.Errorf("%s: %v", tool, err)
		return "", true
	}
	return textOf(res), res.IsError
}

func textOf(res *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if one, ok := c.(*sdk.TextContent); ok {
			b.WriteString(one.Text)
		}
	}
	return b.String()
}

func listed(t testing.TB, c *sdk.ClientSession) map[string]*sdk.Tool {
	t.Helper()
	out := map[string]*sdk.Tool{}
	for one, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		out[one.Name] = one
	}
	return out
}

// received waits for something to come.
func received[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(simtest.Patience):
		t.Fatal(what)
		panic("not reached")
	}
}

// gate is a place where calls wait until they are let through.
type gate struct {
	mu      sync.Mutex
	arrived int
	ended   int
	through chan struct{}
}

func newGate() *gate { return &gate{through: make(chan struct{})} }

func (g *gate) wait(ctx context.Context) error {
	g.mu.Lock()
	g.arrived++
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.ended++
		g.mu.Unlock()
	}()
	select {
	case <-g.through:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) counts() (arrived, ended int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.arrived, g.ended
}

// orchard is a server with a tool for everything.
func orchard() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "orchard", Version: "1"}, nil)
	type none = map[string]any
	tool := func(name string, run func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "Does " + name}, func(ctx context.Context, req *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
			res, err := run(ctx, req)
			return res, nil, err
		})
	}
	tool("echo", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return tools.Text(string(req.Params.Arguments)), nil
	})
	tool("listSpaces", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return tools.Text("theirs"), nil
	})
	tool("wrong", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, errors.New("there are no apples")
	})
	tool("grow", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		s.RemoveTools("wrong")
		sdk.AddTool(s, &sdk.Tool{Name: "grown"}, func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, any, error) {
			return tools.Text("it grew"), nil, nil
		})
		return tools.Text("ok"), nil
	})
	tool("count", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 3, Total: 10, Message: "picking"})
		return tools.Text("counted"), nil
	})
	tool("hang", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in struct{ File string }
		_ = json.Unmarshal(req.Params.Arguments, &in)
		_ = os.WriteFile(in.File+".begun", nil, 0o600)
		<-ctx.Done()
		_ = os.WriteFile(in.File+".cancelled", nil, 0o600)
		return nil, ctx.Err()
	})
	tool("die", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in struct{ Once string }
		_ = json.Unmarshal(req.Params.Arguments, &in)
		if _, err := os.Stat(in.Once); err == nil {
			return tools.Text("alive again"), nil
		}
		_ = os.WriteFile(in.Once, nil, 0o600)
		fmt.Fprintln(os.Stderr, "a worm")
		os.Exit(7)
		return nil, nil
	})
	s.AddTool(&sdk.Tool{Name: "aimed", InputSchema: json.RawMessage(`{"type":"object","properties":{"targetSpaceId":{"type":"string"}}}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return tools.Text("aimed"), nil
		})
	return s
}
