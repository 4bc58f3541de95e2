package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/simtest"
	"weft/backend/gateway/tools"
)

func bridgeCommand(t *testing.T, url, token string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "mcp-stdio")
	cmd.Env = append(os.Environ(), URLVariable+"="+url, TokenVariable+"="+token)
	return cmd
}

// An agent that takes stdio only has everything that the others have: calls at once, progress, cancelling, and changes of the tools.
func TestStdio(t *testing.T) {
	t.Parallel()
	h, wait := asking()
	var definitions []tools.Definition
	g := open(t, Options{Host: h, beat: 10 * time.Millisecond, Definitions: func() []tools.Definition { return definitions }})
	url, token, release := g.Session(caller)
	defer release()
	changed, progress := make(chan struct{}, 10), make(chan struct{}, 100)
	client, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, &sdk.ClientOptions{
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} },
		ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) { progress <- struct{}{} },
	}).Connect(t.Context(), &sdk.CommandTransport{Command: bridgeCommand(t, url, token)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tools := listed(t, client); len(tools) != 16 {
		t.Errorf("%d tools", len(tools))
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 2)
	for _, ctx := range []context.Context{ctx, t.Context()} {
		go func() {
			params := &sdk.CallToolParams{Name: "showChoice", Arguments: json.RawMessage(choice)}
			params.SetProgressToken("t")
			res, err := client.CallTool(ctx, params)
			if err == nil && textOf(res) != `{"selected":["a"]}` {
				err = errors.New(textOf(res))
			}
			done <- err
		}()
	}
	simtest.Eventually(t, "they do not wait", func() bool { n, _ := wait.counts(); return n == 2 })
	if got, failed := calls(t.Context(), t, client, "listSpaces", `{}`); failed || got != `{"spaces":[]}` {
		t.Error(got)
	}
	received(t, "no progress", progress)
	cancel()
	simtest.Eventually(t, "it wasn't cancelled", func() bool { _, n := wait.counts(); return n == 1 })
	if err := received(t, "the call that was cancelled goes on", done); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(wait.through)
	if err := received(t, "the call goes on", done); err != nil {
		t.Error(err)
	}
	definitions = []tools.Definition{definition("fresh", true, nil)}
	g.Refresh()
	received(t, "the agent isn't told", changed)
	if tools := listed(t, client); tools["fresh"] == nil {
		t.Error("the new tool isn't there")
	}
	if err := client.Close(); err != nil {
		t.Errorf("the bridge ended with %v", err)
	}
	simtest.Eventually(t, "the session is left", func() bool {
		for range g.find(token).server.Sessions() {
			return false
		}
		return true
	})
}

// What goes wrong is an answer to the request, and a sentence on stderr where there is none.
func TestStdioErrorsReachTheRequest(t *testing.T) {
	t.Parallel()
	g := open(t, Options{})
	url, token, release := g.Session(caller)
	release()
	_, good, keep := g.Session(caller)
	t.Cleanup(keep)
	for name, c := range map[string]struct {
		url, token, in, out, err string
		code                     int
	}{
		"ended token":  {url: url, token: token, in: hello + "\n", out: `"id":1,"jsonrpc":"2.0"`},
		"says why":     {url: url, token: token, in: hello + "\n", out: "its session has ended"},
		"nobody":       {url: "http://127.0.0.1:1/mcp", token: token, in: hello + "\n", out: "Weft can't be reached"},
		"no JSON":      {url: url, token: good, in: "hello\n", out: "a JSON message", err: "a JSON message"},
		"too long":     {url: url, token: good, in: `"` + strings.Repeat("x", 5<<20) + "\"\n" + hello + "\n", out: `"serverInfo"`, err: "4 MB"},
		"no line end":  {url: url, token: good, in: hello, out: `"serverInfo"`},
		"no variables": {in: hello + "\n", err: "WEFT_GATEWAY_URL and WEFT_GATEWAY_TOKEN", code: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := bridgeCommand(t, c.url, c.token)
			var stderr bytes.Buffer
			cmd.Stdin, cmd.Stderr = strings.NewReader(c.in), &stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(out)
			if err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if !strings.Contains(string(text), c.out) || !strings.Contains(stderr.String(), c.err) || cmd.ProcessState.ExitCode() != c.code || strings.Contains(stderr.String(), "token") && c.token == token {
				t.Errorf("%d\n%.500s\n%.500s", cmd.ProcessState.ExitCode(), text, &stderr)
			}
		})
	}
}

// A bridge whose session ends while the agent is quiet ends too.
func TestStdioEndsWithItsSession(t *testing.T) {
	t.Parallel()
	g := open(t, Options{})
	url, token, release := g.Session(caller)
	cmd := bridgeCommand(t, url, token)
	client, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	listed(t, client)
	release()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = client.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(simtest.Patience):
		t.Error("it goes on")
	}
	_ = client.Close()
}

// An agent without a network reaches the gateway through its socket.
func TestStdioThroughTheSocket(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "g.sock")
	g := open(t, Options{Socket: socket})
	url, token, release := g.Session(caller)
	defer release()
	cmd := bridgeCommand(t, url, token)
	cmd.Env = append(cmd.Env, SocketVariable+"="+socket, "HTTP_PROXY=http://127.0.0.1:1")
	client, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tools := listed(t, client); len(tools) != 16 {
		t.Errorf("%d tools", len(tools))
	}
	gone := bridgeCommand(t, url, token)
	gone.Env = append(gone.Env, SocketVariable+"="+socket+"x")
	if _, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: gone}, nil); err == nil {
		t.Error("it doesn't use the socket")
	}
}
