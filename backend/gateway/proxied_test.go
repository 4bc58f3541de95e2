package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/agent/mcp"

	"weft/backend/base/simtest"
	"weft/backend/gateway/tools"
)

func stdioServer(name string) ProxiedServer {
	return ProxiedServer{Name: name, Key: "1", Timeout: simtest.Patience, Server: func(context.Context) (mcp.Server, error) {
		return mcp.Server{Name: name, Type: "stdio", Command: os.Args[0], Args: []string{"serve"}}, nil
	}}
}

// has reports whether the agent is offered all tools with a name, and none with a minus before it.
func has(tools map[string]*sdk.Tool, names string) bool {
	for _, name := range strings.Fields(names) {
		if without, minus := strings.CutPrefix(name, "-"); minus == (tools[without] != nil) {
			return false
		}
		_, minus := strings.CutPrefix(name, "-")
		if !minus && tools[name] == nil {
			return false
		}
	}
	return true
}

// The tools of the user's servers are under their own names, with a prefix where a name is taken, and as the
// switches say.
func TestProxiedTools(t *testing.T) {
	t.Parallel()
	first, second := stdioServer("first"), stdioServer("the second")
	first.Tools = map[string]ToolSwitch{"wrong": {Off: true}, "echo": {Display: true, Visibility: tools.VisibilityMinimal}, "aimed": {Display: true}}
	second.Tools = map[string]ToolSwitch{"aimed": {}}
	second.Others = ToolSwitch{Off: true}
	broken := ProxiedServer{Name: "broken", Server: func(context.Context) (mcp.Server, error) {
		return mcp.Server{}, &tools.Error{Message: "The secret is gone."}
	}}
	var mu sync.Mutex
	list := []ProxiedServer{first, second, broken, first}
	g := open(t, Options{Proxied: func() []ProxiedServer { mu.Lock(); defer mu.Unlock(); return list }})
	changed := make(chan struct{}, 100)
	client, _ := dial(t, g, &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} }})
	if tools := listed(t, client); !has(tools, "echo first_listSpaces aimed count die -wrong -first_aimed -the_second_echo") {
		t.Errorf("%v", tools)
	}
	for name, want := range map[string]string{"first_listSpaces": "theirs", "listSpaces": `{"spaces":[]}`, "aimed": "aimed", "echo": `{"a":1}`} {
		arguments := `{}`
		if name == "echo" {
			arguments = `{"a":1}`
		}
		if got, failed := calls(t.Context(), t, client, name, arguments); failed || got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	troubles := g.Troubles()
	if list := troubles["first"]; len(list) != 1 || !strings.Contains(list[0], "The tool aimed is left out. Its schema already has a property targetSpaceId") {
		t.Errorf("%q", list)
	}
	if list := troubles["broken"]; len(list) != 1 || list[0] != "The secret is gone." {
		t.Errorf("%q", list)
	}
	for _, d := range g.Catalog().Tools() {
		if d.Name == "echo" && (d.Visibility != tools.VisibilityMinimal || !d.DisplayTool) {
			t.Errorf("%+v", d)
		}
	}

	// A server that changes its tools, and a user who changes the switches, are heard of.
	if got, failed := calls(t.Context(), t, client, "grow", `{}`); failed {
		t.Error(got)
	}
	simtest.Eventually(t, "the new tool isn't offered", func() bool { return has(listed(t, client), "grown") })
	mu.Lock()
	second.Others = ToolSwitch{}
	list = []ProxiedServer{second}
	mu.Unlock()
	for len(changed) > 0 {
		<-changed
	}
	g.Refresh()
	received(t, "the agent isn't told", changed)
	if tools := listed(t, client); !has(tools, "the_second_echo -echo -grown aimed the_second_listSpaces") {
		t.Errorf("%v", tools)
	}
	if got, failed := calls(t.Context(), t, client, "wrong", `{}`); !failed || got != "there are no apples" {
		t.Errorf("%q, %v", got, failed)
	}
}

// A server that disappears in the middle of a call is a sentence, for the user's display too, and is there again for
// the next call.
func TestLostServerFailsTheCallAndReconnects(t *testing.T) {
	t.Parallel()
	s := stdioServer("orchard")
	s.Others = ToolSwitch{Display: true}
	filled := make(chan error, 2)
	g := open(t, Options{Proxied: func() []ProxiedServer { return []ProxiedServer{s} }, Host: &fakeHost{show: func(context.Context, Caller, Show) (Shown, error) {
		return Shown{State: StateShown, Done: func(_ json.RawMessage, err error) { filled <- err }}, nil
	}}})
	client, _ := dial(t, g, nil)
	listed(t, client)
	once := `{"targetSpaceId":"home","once":"` + filepath.Join(t.TempDir(), "died") + `"}`
	got, failed := calls(t.Context(), t, client, "die", strings.Replace(once, "once", "Once", 1))
	if !failed || !strings.Contains(got, "The MCP server orchard lost the connection during the call.") || !strings.Contains(got, "exited with code 7. The server says: a worm") {
		t.Errorf("%q", got)
	}
	if err := received(t, "the display isn't filled", filled); err == nil || err.Error() != got {
		t.Error(err)
	}
	if got, failed := calls(t.Context(), t, client, "die", strings.Replace(once, "once", "Once", 1)); failed || got != "alive again" {
		t.Errorf("%q", got)
	}
	if err := received(t, "the display isn't filled again", filled); err != nil {
		t.Error(err)
	}
}

// What a server says of its progress reaches the agent, and a call that is called off is called off there.
func TestProxiedProgressAndCancel(t *testing.T) {
	t.Parallel()
	g := open(t, Options{Proxied: func() []ProxiedServer { return []ProxiedServer{stdioServer("orchard")} }})
	told := make(chan *sdk.ProgressNotificationParams, 10)
	client, _ := dial(t, g, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
		told <- req.Params
	}})
	listed(t, client)
	params := &sdk.CallToolParams{Name: "count", Arguments: json.RawMessage(`{}`)}
	params.SetProgressToken("mine")
	if res, err := client.CallTool(t.Context(), params); err != nil || textOf(res) != "counted" {
		t.Errorf("%+v, %v", res, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	file := filepath.Join(t.TempDir(), "hang")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = client.CallTool(ctx, &sdk.CallToolParams{Name: "hang", Arguments: json.RawMessage(`{"File":"` + file + `"}`)})
	}()
	there := func(suffix string) func() bool {
		return func() bool { _, err := os.Stat(file + suffix); return err == nil }
	}
	simtest.Eventually(t, "it wasn't called", there(".begun"))
	cancel()
	simtest.Eventually(t, "the server wasn't told", there(".cancelled"))
	received(t, "the call goes on", done)
	select {
	case p := <-told:
		if p.ProgressToken != "mine" || p.Progress != 3 || p.Total != 10 || p.Message != "picking" {
			t.Errorf("%+v", p)
		}
	default:
		// A notification may come after its call's answer, and is then of no use.
	}
}

// A server that has not answered yet holds the list up for a moment only.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(release) })
	g := open(t, Options{wait: 50 * time.Millisecond, Proxied: func() []ProxiedServer {
		return []ProxiedServer{{Name: "slow", Server: func(context.Context) (mcp.Server, error) {
			return mcp.Server{Name: "slow", Type: "http", URL: slow.URL}, nil
		}}}
	}})
	client, _ := dial(t, g, nil)
	began := time.Now()
	if tools := listed(t, client); len(tools) != 16 || time.Since(began) > 10*time.Second {
		t.Errorf("%d tools after %s", len(tools), time.Since(began))
	}
}

// A server that cannot be used is tried again, and one that only the user can mend when it is next needed; both are
// told.
func TestUnavailableServerIsRetried(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "there")
	late := stdioServer("late")
	late.Server = func(context.Context) (mcp.Server, error) {
		return mcp.Server{Name: "late", Type: "stdio", Command: "/bin/sh", Args: []string{"-c", `test -e "$1" || { echo "no apples yet" >&2; exit 3; }; exec "$2" serve`, "sh", file, os.Args[0]}}, nil
	}
	var asked, changed atomic.Int32
	var mended atomic.Bool
	locked := stdioServer("locked")
	reached := locked.Server
	locked.Server = func(ctx context.Context) (mcp.Server, error) {
		asked.Add(1)
		if !mended.Load() {
			return mcp.Server{}, &tools.Error{Message: "The keychain is locked."}
		}
		return reached(ctx)
	}
	g := open(t, Options{reconnectDelay: 5 * time.Millisecond, Changed: func() { changed.Add(1) }, Proxied: func() []ProxiedServer { return []ProxiedServer{late, locked} }})
	if len(g.Troubles()["late"])+len(g.Troubles()["locked"]) != 0 || asked.Load() != 0 {
		t.Error("nobody needs them, and they are used")
	}
	client, _ := dial(t, g, nil)
	if tools := listed(t, client); has(tools, "echo") || !has(tools, "listSpaces") {
		t.Errorf("%v", tools)
	}
	simtest.Eventually(t, "it isn't told what is wrong", func() bool {
		late, locked := strings.Join(g.Troubles()["late"], " "), strings.Join(g.Troubles()["locked"], " ")
		return strings.Contains(late, "exited with code 3. The server says: no apples yet") && strings.HasSuffix(late, "Weft tries again from time to time.") && locked == "The keychain is locked."
	})
	before := asked.Load()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	simtest.Eventually(t, "it isn't tried again", func() bool { return len(g.Troubles()["late"]) == 0 && changed.Load() > 1 })
	if got := asked.Load(); got != before {
		t.Errorf("the keychain was asked %d times more", got-before)
	}
	mended.Store(true)
	simtest.Eventually(t, "the agent doesn't get the tools", func() bool { return has(listed(t, client), "echo locked_echo") })
}
