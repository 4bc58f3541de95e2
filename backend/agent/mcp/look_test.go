//go:build unix

package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/backend/agent/agenttest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The test binary is also the supervisor, and the servers that are looked at.
func TestMain(m *testing.M) {
	agenttest.Main(m, map[string]func(args []string){"serve": func(args []string) { serve(args[0]) }})
}

type input struct {
	Text string `json:"text"`
}

func testServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "orchard", Title: "The orchard", Version: "1.2"}, nil)
	for i := range 3 {
		sdk.AddTool(s, &sdk.Tool{Name: "tool" + strconv.Itoa(i), Description: "Does " + strconv.Itoa(i)}, func(context.Context, *sdk.CallToolRequest, input) (*sdk.CallToolResult, any, error) {
			return nil, nil, nil
		})
	}
	return s
}

// serve is a server that behaves in one of many ways.
func serve(way string) {
	answer := func(result string) {
		in := bufio.NewScanner(os.Stdin)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			var m struct {
				ID     *json.RawMessage `json:"id"`
				Method string           `json:"method"`
			}
			if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
				continue
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", *m.ID, result)
		}
	}
	switch way {
	case "well":
		if os.Getenv("KEY") != "right" {
			fmt.Fprintln(os.Stderr, "KEY is wrong")
			os.Exit(3)
		}
		_ = testServer().Run(context.Background(), &sdk.StdioTransport{})
	case "greets":
		fmt.Println("Welcome to the server!\n  starting …")
		_ = testServer().Run(context.Background(), &sdk.StdioTransport{})
	case "dies":
		fmt.Fprintln(os.Stderr, "no licence")
		os.Exit(7)
	case "garbage":
		for range 100 {
			fmt.Println("this is no message")
		}
	case "braces":
		fmt.Println("{this is no message}")
		time.Sleep(time.Hour)
	case "hangs":
		fmt.Fprintln(os.Stderr, "thinking")
		time.Sleep(time.Hour)
	case "deaf": // it also stays when it is asked to end
		_ = os.WriteFile(os.Getenv("PID"), []byte(strconv.Itoa(os.Getpid())), 0o600)
		time.Sleep(time.Hour)
	case "refuses":
		answer(`"error":{"code":-32603,"message":"not today"}`)
	case "floods":
		line := strings.Repeat("x", 1<<20)
		for {
			fmt.Println(line)
		}
	case "names":
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			var m struct {
				ID     *int   `json:"id"`
				Method string `json:"method"`
			}
			_ = json.Unmarshal(in.Bytes(), &m)
			switch {
			case m.Method == "initialize":
				fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"names","version":"1"}}}`+"\n", *m.ID)
			case m.ID != nil:
				fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"a","description":"first","inputSchema":{"type":"object"}},{"name":"","inputSchema":{"type":"object"}},`+
					`{"name":"b","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}},{"name":"%s","inputSchema":{"type":"object"}},{"name":"%s","inputSchema":{"type":"object"}}]}}`+"\n",
					*m.ID, strings.Repeat("n", maxToolName), strings.Repeat("n", maxToolName+1))
			}
		}
	case "many":
		tools := make([]string, 2000)
		for i := range tools {
			tools[i] = `{"name":"` + strings.Repeat("n", 1000) + `","description":"` + strings.Repeat("d", 8<<10) + `","inputSchema":{"type":"object"}}`
		}
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			var m struct {
				ID     *int   `json:"id"`
				Method string `json:"method"`
			}
			_ = json.Unmarshal(in.Bytes(), &m)
			switch {
			case m.Method == "initialize":
				fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"many","version":"1"}}}`+"\n", *m.ID)
			case m.ID != nil:
				fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s],"nextCursor":"more"}}`+"\n", *m.ID, strings.Join(tools[:200], ","))
			}
		}
	}
}

func stdio(t *testing.T, way string, env map[string]string) Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: way, Type: "stdio", Command: exe, Args: []string{"serve", way}, Env: env}
}

func opt(t *testing.T) Options {
	t.Helper()
	return Options{Version: "test", Dir: t.TempDir(), Timeout: 20 * time.Second}
}

func TestStdio(t *testing.T) {
	t.Parallel()
	about, err := Look(t.Context(), stdio(t, "well", map[string]string{"KEY": "right"}), opt(t))
	if err != nil {
		t.Fatal(err)
	}
	if about.Name != "The orchard" || about.Version != "1.2" || len(about.Tools) != 3 || about.Tools[1].Description != "Does 1" || about.Noise != "" {
		t.Errorf("%+v", about)
	}
	about, err = Look(t.Context(), stdio(t, "greets", nil), opt(t))
	if err != nil || len(about.Tools) != 3 || !strings.Contains(about.Noise, "Welcome to the server!") {
		t.Errorf("%+v, %v", about, err)
	}
	about, err = Look(t.Context(), stdio(t, "many", nil), opt(t))
	if err != nil || len(about.Tools) != maxTools || !about.More || len(about.Tools[0].Name) > maxName+4 || len(about.Tools[0].Description) > maxDescription+4 {
		t.Errorf("%d tools, %v", len(about.Tools), err)
	}
}

func TestFailingServerIsExplained(t *testing.T) {
	t.Parallel()
	// On a busy machine a server takes seconds to say its first words, which are expected below.
	short := func(o Options) Options { o.Timeout = 10 * time.Second; return o }
	for name, c := range map[string]struct {
		server                Server
		opt                   Options
		code, message, detail string
	}{
		"wrong key":  {stdio(t, "well", map[string]string{"KEY": "wrong"}), opt(t), "exited", "exited with code 3", "KEY is wrong"},
		"dies":       {stdio(t, "dies", nil), opt(t), "exited", "exited with code 7", "no licence"},
		"garbage":    {stdio(t, "garbage", nil), opt(t), "exited", "exited.", "this is no message"},
		"braces":     {stdio(t, "braces", nil), opt(t), "mcp_error", "Couldn't communicate with", ""},
		"hangs":      {stdio(t, "hangs", nil), short(opt(t)), "timeout", "didn't answer within 10s", "thinking"},
		"floods":     {stdio(t, "floods", nil), short(opt(t)), "timeout", "didn't answer", "Output that isn't a message"},
		"refuses":    {stdio(t, "refuses", nil), opt(t), "mcp_error", "not today", ""},
		"no program": {Server{Type: "stdio", Command: "no-such-server"}, opt(t), "missing", "no-such-server", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Look(t.Context(), c.server, c.opt)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%v", err)
			}
			if !strings.Contains(e.Code, c.code) || !strings.Contains(e.Message, c.message) || !strings.Contains(e.Detail, c.detail) || !strings.HasSuffix(e.Message, ".") {
				t.Errorf("%s: %q\n%.300s", e.Code, e.Message, e.Detail)
			}
		})
	}
}

// A canceled look leaves nothing behind.
func TestCanceledLook(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := Look(ctx, stdio(t, "deaf", map[string]string{"PID": pid}), opt(t))
		done <- err
	}()
	var id int
	for deadline := time.Now().Add(20 * time.Second); id == 0; {
		if text, err := os.ReadFile(pid); err == nil {
			id, _ = strconv.Atoi(string(text))
		}
		if time.Now().After(deadline) {
			t.Fatal("it was not started")
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	var e *Error
	if err := <-done; !errors.As(err, &e) || e.Code != "cancelled" {
		t.Errorf("%v", err)
	}
	if err := syscall.Kill(id, 0); err == nil {
		t.Error("the server is left")
	}
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	server := testServer()
	for kind, handler := range map[string]http.Handler{
		"http": sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil),
		"sse":  sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return server }, nil),
	} {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Key") != "" {
				t.Errorf("%s: the header went to another host", kind)
			}
			w.WriteHeader(http.StatusTeapot)
		}))
		t.Cleanup(elsewhere.Close)
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/gone":
				http.NotFound(w, r)
			case r.URL.Path == "/away":
				http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			case r.URL.Path == "/slow":
				_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the client has gone
				<-r.Context().Done()
			case r.URL.Path == "/garbage":
				_, _ = w.Write([]byte("<html>hello</html>"))
			case r.Header.Get("X-Key") == "":
				w.WriteHeader(http.StatusUnauthorized)
			case r.Header.Get("X-Key") != "right":
				w.WriteHeader(http.StatusForbidden)
			default:
				handler.ServeHTTP(w, r)
			}
		}))
		t.Cleanup(site.Close)
		key := map[string]string{"X-Key": "right"}
		about, err := Look(t.Context(), Server{Type: kind, URL: site.URL + "/mcp", Headers: key}, opt(t))
		if err != nil || about.Name != "The orchard" || len(about.Tools) != 3 {
			t.Errorf("%s: %+v, %v", kind, about, err)
		}
		closed := httptest.NewServer(nil)
		closed.Close()
		for name, c := range map[string]struct {
			path string
			key  map[string]string
			want string
		}{
			"no header":    {site.URL + "/mcp", nil, "sign in (401)"},
			"wrong header": {site.URL + "/mcp", map[string]string{"X-Key": "wrong"}, "(403)"},
			"no server":    {site.URL + "/gone", key, "(404)"},
			"redirect":     {site.URL + "/away", key, "418"},
			"slow":         {site.URL + "/slow", key, "didn't answer within 1s"},
			"garbage":      {site.URL + "/garbage", key, "Couldn't communicate with"},
			"nobody":       {closed.URL, key, "No answer from"},
		} {
			o := opt(t)
			if name == "slow" || kind == "sse" {
				o.Timeout = time.Second
			}
			_, err := Look(t.Context(), Server{Type: kind, URL: c.path, Headers: c.key}, o)
			var e *Error
			late := kind == "sse" && errors.As(err, &e) && e.Code == "timeout" // its answer is a stream, which may only be silent
			if !errors.As(err, &e) || !strings.Contains(e.Message, c.want) && !late {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
}
