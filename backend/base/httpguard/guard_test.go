package httpguard

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// serve starts a server that knows one token, reads bodies of those who have it and refuses the others.
func serve(t *testing.T, g *Guard) (address string) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer known" {
			TurnAway(w)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		g.Admit(w, r, 0)
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err)
	}))
	g.Watch(server.Config)
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

func reply(t *testing.T, c net.Conn) *http.Response {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// The answer does not wait for a body that never comes.
func TestStrangerIsRefusedBeforeTheBody(t *testing.T) {
	address := serve(t, New())
	for _, framing := range []string{"Content-Length: 1000", "Content-Length: 100000000", "Transfer-Encoding: chunked"} {
		c := dial(t, address, "POST / HTTP/1.1\r\nHost: x\r\n"+framing+"\r\n\r\n")
		if res := reply(t, c); res.StatusCode != http.StatusUnauthorized || !res.Close { //nolint:bodyclose // reply closes it
			t.Errorf("%s: %s, closes %v", framing, res.Status, res.Close)
		}
	}
}

// Whatever a stranger leaves unfinished, the connection is closed.
func TestRequestOfAStrangerHasADeadline(t *testing.T) {
	g := New()
	g.arrival = 20 * time.Millisecond
	address := serve(t, g)
	for _, begun := range []string{"", "G", "GET / HTTP/1.1\r\nHost: x\r\nX-A: ", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"} {
		c := dial(t, address, begun)
		if _, err := io.Copy(io.Discard, c); err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%q: %v", begun, err)
		}
	}
}

// A client that has authenticated may take longer than a stranger: here until the deadline of strangers has passed.
func TestBodyOfAKnownClientMayTakeLonger(t *testing.T) {
	g := New()
	g.arrival = 20 * time.Millisecond
	address := serve(t, g)
	stranger := dial(t, address, "GET ")
	c := dial(t, address, "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer known\r\nContent-Length: 6\r\n\r\nabc")
	_, _ = io.Copy(io.Discard, stranger) // ends with its deadline
	if _, err := io.WriteString(c, "def"); err != nil {
		t.Fatal(err)
	}
	res := reply(t, c) //nolint:bodyclose // reply closes it
	if text, _ := io.ReadAll(res.Body); string(text) != "6 <nil>" {
		t.Errorf("the body was read as %q", text)
	}
}

// Connections that only wait don't keep others out.
func TestOldestStrangerMakesRoom(t *testing.T) {
	g := New()
	g.arrival, g.strangers = time.Hour, 4
	address := serve(t, g)
	known := dial(t, address, "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer known\r\nContent-Length: 0\r\n\r\n")
	if res := reply(t, known); res.StatusCode != http.StatusOK { //nolint:bodyclose // reply closes it
		t.Fatal(res.Status)
	}
	first := dial(t, address, "G")
	for range g.strangers {
		dial(t, address, "G")
	}
	if _, err := first.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the oldest connection is open: %v", err)
	}
	if res := reply(t, dial(t, address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")); res.StatusCode != http.StatusUnauthorized { //nolint:bodyclose // reply closes it
		t.Errorf("a new connection: %s", res.Status)
	}
	if _, err := io.WriteString(known, "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer known\r\nContent-Length: 0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if res := reply(t, known); res.StatusCode != http.StatusOK { //nolint:bodyclose // reply closes it
		t.Errorf("the connection that has authenticated: %s", res.Status)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.order.Len() > g.strangers || len(g.known) != g.order.Len() {
		t.Errorf("%d strangers, %d noted", g.order.Len(), len(g.known))
	}
}
