//go:build unix

package mcptools

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/agent/agenttest"
	"weft/backend/base/simtest"
	"weft/backend/builtin/tool"
	"weft/backend/llm"
)

// The test binary also acts as the supervisor and as the servers.
func TestMain(m *testing.M) {
	agenttest.Main(m, map[string]func(args []string){"serve": func(args []string) { serve(args[0]) }})
}

type none struct{}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// orchard returns a server with a tool for each case.
func orchard() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "orchard", Version: "1"}, nil)
	add := func(t *sdk.Tool, run func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		sdk.AddTool(s, t, func(ctx context.Context, req *sdk.CallToolRequest, _ map[string]any) (*sdk.CallToolResult, any, error) {
			res, err := run(ctx, req)
			return res, nil, err
		})
	}
	add(&sdk.Tool{Name: "echo", Title: "Say it again", Description: "Says it again"}, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(string(req.Params.Arguments)), nil
	})
	add(&sdk.Tool{Name: "env"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text("key=" + os.Getenv("OPENAI_API_KEY") + " own=" + os.Getenv("OWN")), nil
	})
	add(&sdk.Tool{Name: "wrong"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, errors.New("there are no apples\nand no pears")
	})
	add(&sdk.Tool{Name: "everything"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "some text"}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")}, &sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("wav")},
			&sdk.ResourceLink{Name: "a.txt", URI: "file:///a.txt"}, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x://b", Text: "embedded"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x://c.pdf", MIMEType: "application/pdf", Blob: []byte("pdf")}},
		}}, nil
	})
	add(&sdk.Tool{Name: "structured"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{}, StructuredContent: map[string]any{"apples": 3}}, nil
	})
	add(&sdk.Tool{Name: "long"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(strings.Repeat("a line of the answer\n", 10_000)), nil
	})
	add(&sdk.Tool{Name: "grow"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		s.RemoveTools("env")
		sdk.AddTool(s, &sdk.Tool{Name: "grown"}, func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, any, error) {
			return text("it grew"), nil, nil
		})
		return text("ok"), nil
	})
	add(&sdk.Tool{Name: "count"}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 3, Total: 10, Message: "picking"})
		return until(ctx, req, "go")
	})
	add(&sdk.Tool{Name: "hang"}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in struct{ Cancelled string }
		_ = json.Unmarshal(req.Params.Arguments, &in)
		_ = os.WriteFile(in.Cancelled+".begun", nil, 0o600)
		<-ctx.Done()
		_ = os.WriteFile(in.Cancelled, []byte("cancelled"), 0o600)
		return nil, ctx.Err()
	})
	for name, hints := range map[string]*sdk.ToolAnnotations{"die": nil, "diereading": {ReadOnlyHint: true}} {
		add(&sdk.Tool{Name: name, Annotations: hints}, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct{ Once string }
			_ = json.Unmarshal(req.Params.Arguments, &in)
			if _, err := os.Stat(in.Once); err == nil {
				return text("alive again"), nil
			}
			_ = os.WriteFile(in.Once, nil, 0o600)
			fmt.Fprintln(os.Stderr, "a worm")
			os.Exit(7)
			return nil, nil
		})
	}
	return s
}

// until waits for a file that the test creates.
func until(ctx context.Context, req *sdk.CallToolRequest, field string) (*sdk.CallToolResult, error) {
	var in map[string]string
	_ = json.Unmarshal(req.Params.Arguments, &in)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(in[field]); err == nil {
			return text("done"), nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

func serve(way string) {
	switch way {
	case "well":
		if pid := os.Getenv("PID"); pid != "" {
			_ = os.WriteFile(pid, []byte(strconv.Itoa(os.Getpid())), 0o600)
		}
		_ = orchard().Run(context.Background(), &sdk.StdioTransport{})
	case "dies":
		fmt.Fprintln(os.Stderr, "no licence")
		os.Exit(7)
	case "floods":
		flood()
	case "hangs":
		time.Sleep(time.Hour)
	}
}

func stdio(t *testing.T, name, way string, env map[string]string) acp.McpServer {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &acp.McpServerStdio{Name: name, Command: exe, Args: []string{"serve", way}}
	for k, v := range env {
		s.Env = append(s.Env, acp.EnvVariable{Name: k, Value: v})
	}
	return acp.McpServer{Stdio: s}
}

func connect(t *testing.T, opt Options, servers ...acp.McpServer) *Set {
	t.Helper()
	if opt.Dir == "" {
		opt.Dir = t.TempDir()
	}
	s := Connect(t.Context(), servers, opt)
	t.Cleanup(s.Close)
	return s
}

func find(t *testing.T, s *Set, name string) tool.Tool {
	t.Helper()
	for _, one := range s.Tools() {
		if one.Name == name {
			return one
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tool.Tool{}
}

func run(ctx context.Context, t *testing.T, one tool.Tool, input any, report func(tool.Progress)) (tool.Result, error) {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	p, err := one.Prepare(ctx, &tool.Env{}, raw)
	if err != nil {
		t.Fatal(err)
	}
	if report == nil {
		report = func(tool.Progress) {}
	}
	return p.Run(ctx, report)
}

func told(parts []llm.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if t, ok := p.(llm.Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func TestConnect(t *testing.T) {
	t.Parallel()
	server := orchard()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(site.Close)
	events := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(events.Close)
	key := []acp.HttpHeader{{Name: "X-Key", Value: "right"}}
	began := time.Now()
	s := connect(t, Options{ConnectTime: 3 * time.Second},
		stdio(t, "local", "well", nil), stdio(t, "dying", "dies", nil), stdio(t, "hanging 1", "hangs", nil), stdio(t, "hanging 2", "hangs", nil),
		acp.McpServer{Http: &acp.McpServerHttpInline{Name: "web", Url: site.URL, Headers: key}},
		acp.McpServer{Http: &acp.McpServerHttpInline{Name: "locked", Url: site.URL}},
		acp.McpServer{Sse: &acp.McpServerSseInline{Name: "events", Url: events.URL}},
		acp.McpServer{Stdio: &acp.McpServerStdio{Name: "missing", Command: "no-such-server"}},
		acp.McpServer{},
	)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
	problems := ""
	for _, p := range s.Problems() {
		problems += p.String() + "\n"
	}
	for _, want := range []string{
		"of an unknown type", "server dying can't be used", "code 7. The server says: no licence", "server hanging 1 can't be used. The server didn't answer within 3s",
		"server locked can't be used. The server requires you to sign in (401)", "server missing can't be used",
	} {
		if !strings.Contains(problems, want) {
			t.Errorf("%q isn't in:\n%s", want, problems)
		}
	}
	if len(s.Problems()) != 6 {
		t.Errorf("%q", s.Problems())
	}
	for _, name := range []string{"local_echo", "web_echo", "events_echo"} {
		one := find(t, s, name)
		r, err := run(t.Context(), t, one, map[string]any{"say": "hello"}, nil)
		if err != nil || told(r.Parts) != `{"say":"hello"}` || r.Summary != "say: hello" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		p, err := one.Prepare(t.Context(), &tool.Env{}, nil)
		server, _, _ := strings.Cut(name, "_")
		if err != nil || p.Grant != "mcp:"+server+"/echo" || p.Title != server+": Say it again" || p.Effect != tool.Executes || one.Kind != acp.ToolKindOther {
			t.Errorf("%+v, %v", p, err)
		}
		if _, err := one.Prepare(t.Context(), &tool.Env{}, json.RawMessage(`[1]`)); err == nil {
			t.Error("a list was taken for an object")
		}
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	s := connect(t, Options{}, stdio(t, "o", "well", nil))
	r, err := run(t.Context(), t, find(t, s, "o_everything"), nil, nil)
	if err != nil || told(r.Parts) != "some text\n(3 bytes of audio/wav, which are left out: models can't read it)\nResource a.txt: file:///a.txt\nResource x://b:\nembedded\nResource x://c.pdf:" {
		t.Errorf("%q, %v", told(r.Parts), err)
	}
	if len(r.Parts) != 3 || r.Parts[1].(llm.Image).MIME != "image/png" || r.Parts[2].(llm.File).Name != "c.pdf" || len(r.Content) != 3 || r.Summary != "some text" || !r.Uncounted {
		t.Errorf("%+v", r)
	}
	r, err = run(t.Context(), t, find(t, s, "o_structured"), nil, nil)
	if err != nil || told(r.Parts) != `{"apples":3}` || string(r.Output["structuredContent"].(json.RawMessage)) != `{"apples":3}` {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = run(t.Context(), t, find(t, s, "o_long"), nil, nil)
	if err != nil || len(told(r.Parts)) > 48<<10 || !strings.Contains(told(r.Parts), "left out of 205 KB") {
		t.Errorf("%d bytes, %v", len(told(r.Parts)), err)
	}
	_, err = run(t.Context(), t, find(t, s, "o_wrong"), nil, nil)
	var e *tool.Error
	if !errors.As(err, &e) || e.Message != "there are no apples" || told(e.Parts) != "there are no apples\nand no pears" || e.Retryable {
		t.Errorf("%+v", err)
	}
}

func TestServersGetTheirVariablesAndNoModelKeys(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	s := connect(t, Options{}, stdio(t, "o", "well", map[string]string{"OWN": "mine"}))
	r, err := run(t.Context(), t, find(t, s, "o_env"), nil, nil)
	if err != nil || told(r.Parts) != "key= own=mine" {
		t.Errorf("%q, %v", told(r.Parts), err)
	}
}

func TestChangedToolListIsUsed(t *testing.T) {
	t.Parallel()
	changed := make(chan struct{}, 8)
	s := connect(t, Options{Changed: func() { changed <- struct{}{} }}, stdio(t, "o", "well", nil))
	gone := find(t, s, "o_env")
	if _, err := run(t.Context(), t, find(t, s, "o_grow"), nil, nil); err != nil {
		t.Fatal(err)
	}
	grown := func() bool {
		select {
		case <-changed:
		default:
		}
		all := ""
		for _, one := range s.Tools() {
			all += " " + one.Name
		}
		return strings.Contains(all, " o_grown") && !strings.Contains(all, " o_env")
	}
	simtest.Eventually(t, "the tools didn't change", grown)
	if r, err := run(t.Context(), t, find(t, s, "o_grown"), nil, nil); err != nil || told(r.Parts) != "it grew" {
		t.Errorf("%+v, %v", r, err)
	}
	_, err := run(t.Context(), t, gone, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "The MCP server o rejected the call") {
		t.Error(err)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	s := connect(t, Options{}, stdio(t, "o", "well", nil))
	file := filepath.Join(t.TempDir(), "go")
	title := ""
	_, err := run(t.Context(), t, find(t, s, "o_count"), map[string]string{"go": file}, func(p tool.Progress) {
		title = p.Title
		_ = os.WriteFile(file, nil, 0o600) // the call ends only because its progress was received
	})
	if err != nil || title != "o: count — 3 of 10: picking" {
		t.Errorf("%q, %v", title, err)
	}
}

func TestCancelAndTimeout(t *testing.T) {
	t.Parallel()
	s := connect(t, Options{CallTime: 500 * time.Millisecond}, stdio(t, "o", "well", nil))
	for _, byUser := range []bool{true, false} {
		file := filepath.Join(t.TempDir(), "cancelled")
		ctx, cancel := context.WithCancel(t.Context())
		if byUser {
			go func() {
				for {
					if _, err := os.Stat(file + ".begun"); err == nil || t.Context().Err() != nil {
						cancel()
						return
					}
					time.Sleep(time.Millisecond)
				}
			}()
		}
		_, err := run(ctx, t, find(t, s, "o_hang"), map[string]string{"cancelled": file}, nil)
		cancel()
		if byUser != errors.Is(err, context.Canceled) || !byUser && !strings.Contains(err.Error(), "didn't answer within 500ms") {
			t.Errorf("by the user %v: %v", byUser, err)
		}
		simtest.Eventually(t, "the server wasn't told", func() bool { _, err := os.Stat(file); return err == nil })
	}
	if _, err := run(t.Context(), t, find(t, s, "o_echo"), nil, nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestKilledServerIsRestarted(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	s := connect(t, Options{}, stdio(t, "o", "well", map[string]string{"PID": pid}))
	once := map[string]string{"once": filepath.Join(t.TempDir(), "once")}
	_, err := run(t.Context(), t, find(t, s, "o_die"), once, nil)
	var e *tool.Error
	if !errors.As(err, &e) || e.Retryable || !strings.Contains(e.Message, "lost the connection during the call.") || !strings.Contains(e.Message, "exited with code 7. The server says: a worm") ||
		!strings.Contains(e.Message, "connected again. The call may have been carried out") {
		t.Errorf("%+v", err)
	}
	once["once"] += "2"
	reading := find(t, s, "o_diereading")
	if _, err = run(t.Context(), t, reading, once, nil); !errors.As(err, &e) || !e.Retryable {
		t.Errorf("%+v", err)
	}
	if r, err := run(t.Context(), t, reading, once, nil); err != nil || told(r.Parts) != "alive again" {
		t.Errorf("%+v, %v", r, err)
	}
	// A server that ended between calls is restarted by the next call of any of its tools.
	kill(t, pid)
	simtest.Eventually(t, "its end wasn't noticed", func() bool { return s.servers[0].standing.Trouble() != "" })
	if r, err := run(t.Context(), t, find(t, s, "o_die"), once, nil); err != nil || told(r.Parts) != "alive again" {
		t.Errorf("%+v, %v", r, err)
	}
	s.Close()
	if err := syscall.Kill(number(t, pid), 0); err == nil {
		t.Error("the server is left")
	}
	if _, err := run(t.Context(), t, reading, once, nil); err == nil || !strings.Contains(err.Error(), "the session has ended") {
		t.Error(err)
	}
}

// site tracks the connections of a web server, so that the test can close them.
type site struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

func (s *site) note(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[c] = state != http.StateClosed
}

func (s *site) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		_ = c.Close()
	}
}

func TestLostHTTPServerIsReconnected(t *testing.T) {
	t.Parallel()
	site := &site{open: map[net.Conn]bool{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ConnState: site.note, Handler: sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return orchard() }, nil)}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	s := connect(t, Options{ConnectTime: 5 * time.Second}, acp.McpServer{Http: &acp.McpServerHttpInline{Name: "web", Url: "http://" + listener.Addr().String()}})
	file := filepath.Join(t.TempDir(), "cancelled")
	go func() {
		for t.Context().Err() == nil {
			if _, err := os.Stat(file + ".begun"); err == nil {
				site.cut()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err = run(t.Context(), t, find(t, s, "web_hang"), map[string]string{"cancelled": file}, nil)
	var e *tool.Error
	if !errors.As(err, &e) || e.Retryable || !strings.Contains(e.Message, "lost the connection during the call") || !strings.Contains(e.Message, "connected again") {
		t.Errorf("%+v", err)
	}
	if r, err := run(t.Context(), t, find(t, s, "web_echo"), nil, nil); err != nil || told(r.Parts) != "{}" {
		t.Errorf("%+v, %v", r, err)
	}
	echo := find(t, s, "web_echo")
	_ = server.Close()
	if _, err := run(t.Context(), t, echo, nil, nil); err == nil || !strings.Contains(err.Error(), "No answer from") {
		t.Error(err)
	}
}

func TestFloodingServerIsBounded(t *testing.T) {
	t.Parallel()
	s := connect(t, Options{}, stdio(t, "o", "floods", nil))
	r, err := run(t.Context(), t, find(t, s, "o_echo"), nil, nil)
	if err != nil || told(r.Parts) != "well" {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = run(t.Context(), t, find(t, s, "o_huge"), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "lost the connection during the call") {
		t.Error(err)
	}
	if len(s.Tools()) != maxTools {
		t.Errorf("%d tools", len(s.Tools()))
	}
}

// flood is a server that writes too much.
func flood() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     *int
			Method string
			Params struct{ Name string }
		}
		_ = json.Unmarshal(in.Bytes(), &m)
		fmt.Println(strings.Repeat("greetings ", 1000))
		switch {
		case m.ID == nil:
		case m.Method == "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"f","version":"1"}}}`+"\n", *m.ID)
		case m.Method == "tools/list":
			tools := []string{`{"name":"echo","inputSchema":{"type":"object"}}`, `{"name":"huge","description":"` + strings.Repeat("d", 100_000) + `","inputSchema":{"type":"object"}}`}
			for i := range 900 {
				tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, i))
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s],"nextCursor":"for ever"}}`+"\n", *m.ID, strings.Join(tools, ","))
		case m.Params.Name == "huge":
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`+"\n", *m.ID, strings.Repeat("x", 20<<20))
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"well"}]}}`+"\n", *m.ID)
		}
	}
}

func number(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func kill(t *testing.T, file string) {
	t.Helper()
	if err := syscall.Kill(number(t, file), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func TestConnectIsCalledOff(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	s := Connect(ctx, []acp.McpServer{stdio(t, "h", "hangs", nil)}, Options{Dir: t.TempDir()})
	s.Close()
	if took := time.Since(began); took > 10*time.Second || len(s.Problems()) != 1 {
		t.Errorf("it took %s: %q", took, s.Problems())
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	s := &Set{names: map[key]string{}, taken: map[string]bool{}}
	good := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	seen := map[string]bool{}
	for _, c := range []struct{ server, tool, want string }{
		{"git", "log", "git_log"},
		{"git", "log", "git_log_2"},
		{"my server", "näme/x", "my_server_n_me_x"},
		{"", "", "tool_tool"},
		{strings.Repeat("s", 60), "toolname", strings.Repeat("s", 60) + "_too"},
		{strings.Repeat("s", 60), "toolname", strings.Repeat("s", 60) + "_t_2"},
	} {
		got := s.free(c.server, c.tool)
		if !good.MatchString(got) || seen[got] || got != c.want {
			t.Errorf("%s %s: %s, want %s", c.server, c.tool, got, c.want)
		}
		seen[got] = true
	}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string"}}}`: `{"properties":{"a":{"type":"string"}},"type":"object"}`,
		`{"properties":{}}`: `{"properties":{},"type":"object"}`,
		`null`:              `{"type":"object"}`, `[1]`: `{"type":"object"}`, `true`: `{"type":"object"}`,
		`{"description":"` + strings.Repeat("x", maxSchema) + `"}`: `{"type":"object"}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(from), &v); err != nil {
			t.Fatal(err)
		}
		if got := string(schema(v)); got != want {
			t.Errorf("%.60s: %s", from, got)
		}
	}
}
