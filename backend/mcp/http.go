package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func lookHTTP(ctx context.Context, s Server, opt Options, version string) (about About, err error) {
	at, err := url.Parse(s.URL)
	if err != nil {
		return about, &Error{Code: "unreachable", Message: "This is no address that a server could have.", Err: err}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	way := &way{ctx: ctx, next: transport, origin: at.Scheme + "://" + at.Host, headers: s.Headers}
	client := &http.Client{Transport: way}
	var t sdk.Transport = &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true}
	if s.Type == "sse" {
		t = &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: client}
	}
	about, err = talk(ctx, t, opt, version)
	if err != nil {
		err = way.explain(at, s, err)
	}
	return about, err
}

// way adds the headers to what goes to the server itself, wherever it redirects to, and ends every
// request with the look.
type way struct {
	ctx     context.Context //nolint:containedctx // of the look, which outlives each request
	next    http.RoundTripper
	origin  string
	headers map[string]string
	refused atomic.Int64 // the last status that says no
}

func (w *way) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	context.AfterFunc(w.ctx, cancel) // not earlier: the answer is read after this returns
	req = req.Clone(ctx)
	if req.URL.Scheme+"://"+req.URL.Host == w.origin {
		for name, value := range w.headers {
			req.Header.Set(name, value)
		}
	}
	res, err := w.next.RoundTrip(req)
	if err == nil && res.StatusCode >= http.StatusBadRequest {
		w.refused.Store(int64(res.StatusCode))
	}
	return res, err
}

// explain makes a sentence of what went wrong on the way.
func (w *way) explain(at *url.URL, s Server, err error) error {
	other := map[string]string{"http": "SSE", "sse": "HTTP"}[s.Type]
	status := int(w.refused.Load())
	var dns *net.DNSError
	var network net.Error
	switch {
	case status == http.StatusUnauthorized:
		return &Error{Code: "unauthorized", Message: "The server wants you to sign in (401). Give it a header, such as Authorization, whose value is a secret.", Err: err}
	case status == http.StatusForbidden:
		return &Error{Code: "unauthorized", Message: "The server refuses these headers (403). Check the secret.", Err: err}
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return &Error{Code: "mcp_error", Message: fmt.Sprintf("There is no MCP server over %s at this address (%d). Check the address, or try %s.", spoken(s.Type), status, other), Err: err}
	case status != 0:
		return &Error{Code: "mcp_error", Message: fmt.Sprintf("The server answered with the status %d (%s).", status, http.StatusText(status)), Err: err}
	case errors.As(err, &dns):
		return &Error{Code: "unreachable", Message: "There is no " + bounded(at.Hostname(), maxName) + " that this machine knows. Check the address and the network.", Err: err}
	case errors.As(err, &network):
		return &Error{Code: "unreachable", Message: "Nobody answers at " + bounded(at.Host, maxName) + ". Is the server started?", Err: err}
	}
	return err
}
