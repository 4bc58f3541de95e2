package gateway

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"weft/backend/gateway/tools"
)

func acting(name string, e tools.Execution) tools.Definition {
	return tools.Definition{
		Name: name, Description: "d", Execution: &e,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"number"},"file":{"type":"string"}}}`),
	}
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a redirect to another server was followed, with %q", r.Header.Get("X-Key"))
	}))
	t.Cleanup(elsewhere.Close)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/slow":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		case "/broken":
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte("short and stout"))
		case "/long":
			_, _ = w.Write([]byte(strings.Repeat("x", 2<<20)))
		case "/picture":
			_, _ = w.Write([]byte{0x89, 'P', 'N', 'G', 0, 1, 2})
		case "/empty":
		default:
			_, _ = w.Write([]byte(r.Method + " " + r.RequestURI + " " + r.Header.Get("X-Key") + " " + string(body)))
		}
	}))
	t.Cleanup(web.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	get := func(url string) tools.Execution { return tools.Execution{Mode: tools.ModeHTTP, URL: url} }
	g := open(t, Options{Definitions: func() []tools.Definition {
		return []tools.Definition{
			acting("get", tools.Execution{Mode: tools.ModeHTTP, URL: web.URL + "/a/{{q}}?x={{n}}&y=1", Headers: map[string]string{"X-Key": "k-{{q}}"}}),
			acting("post", tools.Execution{Mode: tools.ModeHTTP, Method: "POST", URL: web.URL + "/p/{{q}}"}),
			acting("away", get(web.URL+"/away")), acting("broken", get(web.URL+"/broken")), acting("long", get(web.URL+"/long")),
			acting("picture", get(web.URL+"/picture")), acting("empty", get(web.URL+"/empty")), acting("nobody", get(closed.URL+"/?key=secret")),
			acting("slow", tools.Execution{Mode: tools.ModeHTTP, URL: web.URL + "/slow", Timeout: 50}),
		}
	}})
	client, _ := dial(t, g, nil)
	for _, c := range []struct {
		tool, input, says string
		failed            bool
	}{
		{"get", `{"q":"b c/../d?&#","n":2.50,"file":"f&g"}`, "", false},
		{"get", `{"q":"plain","n":2.50,"file":"f&g"}`, "GET /a/plain?x=2.50&y=1&file=f%26g k-plain ", false},
		{"get", `{"q":".."}`, "GET /a/%2E%2E?x=&y=1 k-.. ", false},
		{"get", "{\"q\":\"a\\r\\nX-Evil: 1\"}", "line break, which isn't allowed in the header X-Key.", true},
		{"post", `{"q":"x","n":12345678901234567890}`, `POST /p/x  {"q":"x","n":12345678901234567890}`, false},
		{"away", `{}`, "status 307", true},
		{"broken", `{}`, "broken: the service answered with the status 418 (I'm a teapot). short and stout", true},
		{"long", `{}`, "The rest is left out: it is longer than 1 MB.", false},
		{"picture", `{}`, "(7 bytes that aren't text)", false},
		{"empty", `{}`, "(nothing)", false},
		{"slow", `{}`, "slow didn't answer within 50ms.", true},
		{"nobody", `{}`, "nobody can't be reached: ", true},
	} {
		got, failed := calls(t.Context(), t, client, c.tool, c.input)
		if failed != c.failed || !strings.Contains(got, c.says) || len(got) > tools.MaxOutput+100 || strings.Contains(got, "secret") {
			t.Errorf("%s %s: %.300q, failed: %v", c.tool, c.input, got, failed)
		}
		if strings.Contains(c.input, "../d") && got != "GET /a/b%20c%2F..%2Fd%3F&%23?x=2.50&y=1&file=f%26g k-b c/../d?&# " {
			t.Errorf("%q", got)
		}
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	run := func(args ...string) tools.Execution {
		return tools.Execution{Mode: tools.ModeCommand, Command: os.Args[0], Args: append([]string{"command"}, args...)}
	}
	hang := run("hang")
	hang.Timeout = 200
	g := open(t, Options{Definitions: func() []tools.Definition {
		return []tools.Definition{
			acting("tell", run("tell", "--x={{q}}", "{{n}}", "{{q}}{{q}}")), acting("fail", run("fail")), acting("flood", run("flood")), acting("hang", hang),
			acting("missing", tools.Execution{Mode: tools.ModeCommand, Command: "no-such-program"}),
		}
	}})
	client, _ := dial(t, g, nil)
	for _, c := range []struct {
		tool, input, says string
		failed            bool
	}{
		{"tell", `{"q":"a b; rm -rf *","n":3}`, `{"args":["--x=a b; rm -rf *","3","a b; rm -rf *a b; rm -rf *"],"stdin":"{\"q\":\"a b; rm -rf *\",\"n\":3}"}`, false},
		{"tell", `{"q":"a\u0000b"}`, "NUL character", true},
		{"fail", `{}`, "exited with code 3. no apples", true},
		{"flood", `{}`, "The rest is left out: it is longer than 1 MB.", false},
		{"hang", `{}`, "hang didn't end within 200ms and was stopped.", true},
		{"missing", `{}`, "no-such-program", true},
	} {
		began := time.Now()
		got, failed := calls(t.Context(), t, client, c.tool, c.input)
		if failed != c.failed || !strings.Contains(got, c.says) || time.Since(began) > 20*time.Second {
			t.Errorf("%s %s: %.300q, failed: %v, after %s", c.tool, c.input, got, failed, time.Since(began))
		}
	}
}
