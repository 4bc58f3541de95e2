package gateway

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`

func TestGatewayRefusesUnauthorizedRequests(t *testing.T) {
	t.Parallel()
	g := open(t, Options{})
	url, token, release := g.Session(caller)
	defer release()
	_, ended, releaseEnded := g.Session(caller)
	releaseEnded()
	releaseEnded() // again is harmless
	_, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
	port, _, _ = strings.Cut(port, "/")
	for name, c := range map[string]struct {
		path, auth, host, body string
		headers                map[string]string
		status                 int
		says                   string
	}{
		"right":                 {auth: "Bearer " + token, status: 200},
		"right, lower case":     {auth: "bearer " + token, status: 200},
		"localhost":             {auth: "Bearer " + token, host: "localhost:" + port, status: 200},
		"node":                  {auth: "Bearer " + token, headers: map[string]string{"Sec-Fetch-Mode": "cors"}, status: 200},
		"no token":              {status: 401, says: "needs the token of a session"},
		"empty token":           {auth: "Bearer ", status: 401, says: "needs the token"},
		"wrong token":           {auth: "Bearer " + token[1:], status: 401, says: "token is invalid"},
		"ended token":           {auth: "Bearer " + ended, status: 401, says: "its session has ended"},
		"basic":                 {auth: "Basic " + token, status: 401, says: "needs the token"},
		"page":                  {auth: "Bearer " + token, headers: map[string]string{"Origin": "https://evil.example"}, status: 403, says: "Web pages"},
		"page without origin":   {auth: "Bearer " + token, headers: map[string]string{"Sec-Fetch-Site": "cross-site"}, status: 403, says: "Web pages"},
		"page of the same site": {auth: "Bearer " + token, headers: map[string]string{"Sec-Fetch-Site": "same-site"}, status: 403, says: "Web pages"},
		"null origin":           {auth: "Bearer " + token, headers: map[string]string{"Origin": "null"}, status: 403, says: "Web pages"},
		"rebound name":          {auth: "Bearer " + token, host: "evil.example:" + port, status: 403, says: "own address"},
		"no port":               {auth: "Bearer " + token, host: "127.0.0.1", status: 403, says: "own address"},
		"elsewhere":             {auth: "Bearer " + token, path: "/.well-known/oauth-protected-resource", status: 404, says: "/mcp"},
		"no JSON":               {auth: "Bearer " + token, body: `{"jsonrpc":"2.0","id":1,`, status: 400, says: "isn't JSON"},
		"too long":              {auth: "Bearer " + token, body: `"` + strings.Repeat("x", 5<<20) + `"`, status: 413, says: "4 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			body := c.body
			if body == "" {
				body = hello
			}
			at := url
			if c.path != "" {
				at = strings.TrimSuffix(url, path) + c.path
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			if c.auth != "" {
				req.Header.Set("Authorization", c.auth)
			}
			if c.host != "" {
				req.Host = c.host
			}
			for k, v := range c.headers {
				req.Header.Set(k, v)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != c.status {
				t.Fatalf("%s %s, %v", res.Status, text, err)
			}
			if c.status == 200 {
				if !strings.Contains(string(text), `"serverInfo"`) {
					t.Errorf("%s", text)
				}
				return
			}
			var e struct{ Error struct{ Message string } }
			if err := json.Unmarshal(text, &e); err != nil || !strings.Contains(e.Error.Message, c.says) || !strings.HasSuffix(e.Error.Message, ".") {
				t.Errorf("%s, %v", text, err)
			}
			if (c.status == 401) != (res.Header.Get("WWW-Authenticate") == "Bearer") {
				t.Errorf("%v", res.Header)
			}
		})
	}
}

// A session is reached with its own token only.
func TestSessionOfAnotherTokenIsRefused(t *testing.T) {
	t.Parallel()
	g := open(t, Options{})
	mine, _ := dial(t, g, nil)
	url, token, release := g.Session(Caller{SpaceID: "other", AgentID: "thief"})
	defer release()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"listSpaces"}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Session-Id", mine.ID())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNotFound || mine.ID() == "" {
		t.Errorf("%s for %q", res.Status, mine.ID())
	}
}

// An agent that connects again and again without a word of leaving does not gather connections.
func TestManyConnections(t *testing.T) {
	t.Parallel()
	g := open(t, Options{})
	url, token, release := g.Session(caller)
	defer release()
	for range 2 * maxConnections {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status)
		}
	}
	n := 0
	for range g.find(token).server.Sessions() {
		n++
	}
	if n > maxConnections {
		t.Errorf("%d connections", n)
	}
}
