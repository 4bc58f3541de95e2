package modelproxy

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestOnlyTheTokenAndItsRoutesAreServed sends what other programs and web pages could.
func TestOnlyTheTokenAndItsRoutesAreServed(t *testing.T) {
	reached := 0
	s := newSetup(t, func(http.ResponseWriter, *http.Request) { reached++ })
	other, err := s.proxy.Open(nil, s.see)
	if err != nil {
		t.Fatal(err)
	}
	host := s.proxy.host
	path := strings.TrimPrefix(s.base, "http://"+host)
	for _, c := range []struct {
		name, line, headers string
		status              int
	}{
		{"no token", "POST /v1/messages", "Host: " + host, 401},
		{"another token", "POST /AAAA/0/v1/messages", "Host: " + host, 401},
		{"a route of another tunnel", "POST /" + other.Token() + "/0/v1/messages", "Host: " + host, 404},
		{"a route that isn't there", "POST " + strings.TrimSuffix(path, "/0") + "/1/v1", "Host: " + host, 404},
		{"a negative route", "POST " + strings.TrimSuffix(path, "/0") + "/-1/v1", "Host: " + host, 404},
		{"another host", "POST " + path + "/v1/messages", "Host: evil.example", 403},
		{"localhost", "POST " + path + "/v1/messages", "Host: localhost:" + host[strings.LastIndexByte(host, ':')+1:], 403},
		{"a web page", "POST " + path + "/v1/messages", "Host: " + host + "\r\nOrigin: http://" + host, 403},
		{"a web page without an origin", "GET " + path + "/v1/messages", "Host: " + host + "\r\nSec-Fetch-Site: cross-site", 403},
		{"as a proxy to anywhere", "GET http://127.0.0.1:1/x", "Host: " + host, 403},
		{"as a proxy to itself", "GET http://" + host + path + "/x", "Host: " + host, 403},
		{"a tunnel to anywhere", "CONNECT 127.0.0.1:22", "Host: 127.0.0.1:22", 403},
		{"above the route", "GET " + path + "/../../x", "Host: " + host, 404},
		{"above the route, encoded", "GET " + path + "/%2e%2e/x", "Host: " + host, 404},
		{"above the route, with a backslash", "GET " + path + "/..%5cx", "Host: " + host, 404},
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n", c.line, c.headers)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if res.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", c.name, res.StatusCode, c.status)
		}
		res.Body.Close()
		conn.Close()
	}
	if reached != 0 {
		t.Errorf("the upstream was reached %d times", reached)
	}
	if status, _ := post(t, s.base+"/v1/messages"); status != 200 || reached != 1 {
		t.Errorf("with its token: %d, reached %d times", status, reached)
	}
	if !strings.HasPrefix(host, "127.0.0.1:") {
		t.Errorf("it listens at %s", host)
	}
}

func TestTokenIsInvalidAfterClose(t *testing.T) {
	begun := make(chan struct{})
	s := newSetup(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		close(begun)
		<-r.Context().Done() // the request in progress ends, too
	})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/v1/messages", http.NoBody)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	<-begun
	s.tunnel.Close()
	if _, err := res.Body.Read(make([]byte, 1)); err == nil {
		t.Error("the answer goes on")
	}
	if status, _ := post(t, s.base+"/v1/messages"); status != http.StatusUnauthorized {
		t.Errorf("its token is still good: %d", status)
	}
}

func TestRoutesAreHTTPAddressesOnly(t *testing.T) {
	s := newSetup(t, func(http.ResponseWriter, *http.Request) {})
	for _, upstream := range []string{"", "ftp://x", "x", "file:///etc/passwd", "http://", "https://user:password@x", "http://x?a=b", "http://x#y"} {
		if base, err := s.tunnel.Route(upstream); err == nil {
			t.Errorf("%q has the route %s", upstream, base)
		}
	}
	a, _ := s.tunnel.Route("https://api.example/v1/")
	b, _ := s.tunnel.Route("https://api.example/v1")
	if a == "" || a != b || !s.tunnel.Routes(a) || s.tunnel.Routes("https://api.example/v1") {
		t.Errorf("%q, %q", a, b)
	}
}

func TestClosedProxyOpensNoTunnel(t *testing.T) {
	s := newSetup(t, func(http.ResponseWriter, *http.Request) {})
	if err := s.proxy.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.proxy.Open(nil, s.see); err == nil {
		t.Error("it opens one")
	}
}
