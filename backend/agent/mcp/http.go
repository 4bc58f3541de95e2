package mcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// httpLink is the link to a server over HTTP.
type httpLink struct {
	server    Server
	at        *url.URL
	way       *way
	transport *http.Transport
	cancel    context.CancelFunc
}

// dialHTTP prepares the link. It sends nothing before a session begins.
func dialHTTP(ctx context.Context, s Server, listen bool) (link, sdk.Transport, error) {
	at, err := url.Parse(s.URL)
	if err != nil {
		return nil, nil, fault.New("unreachable", "This isn't a valid server address.").Because(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &httpLink{server: s, at: at, transport: http.DefaultTransport.(*http.Transport).Clone(), cancel: cancel}
	l.way = &way{ctx: ctx, next: l.transport, origin: at.Scheme + "://" + at.Host, headers: s.Headers}
	client := &http.Client{Transport: l.way}
	if s.Type == "sse" {
		return l, &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: maxLine}, nil
	}
	t := &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: -1, MaxEventSize: maxLine, DisableStandaloneSSE: !listen}
	if listen {
		t.MaxRetries = 0 // the default number
	}
	return l, t, nil
}

func (l *httpLink) end(_ context.Context, err error) error {
	if err != nil {
		err = l.way.explain(l.at, l.server, err)
	}
	l.cancel()
	l.transport.CloseIdleConnections()
	return err
}

func (l *httpLink) noise() string { return "" }

// way adds the headers to requests to the server itself, but not to hosts to which it redirects, and cancels all
// requests when the connection ends.
type way struct {
	ctx     context.Context //nolint:containedctx // of the connection, which outlives each request
	next    http.RoundTripper
	origin  string
	headers map[string]string
	refused atomic.Int64 // the last error status
}

func (w *way) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(w.ctx, cancel)
	req = req.Clone(ctx)
	if req.URL.Scheme+"://"+req.URL.Host == w.origin {
		for name, value := range w.headers {
			req.Header.Set(name, value)
		}
	}
	res, err := w.next.RoundTrip(req)
	if err != nil {
		stop()
		cancel()
		return res, err
	}
	if res.StatusCode >= http.StatusBadRequest {
		w.refused.Store(int64(res.StatusCode))
	}
	b := &body{ReadCloser: res.Body, left: maxAnswer, done: func() { stop(); cancel() }}
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "text/event-stream" {
		b.left = -1 // it may continue forever; each event is limited
	}
	res.Body = b
	return res, nil
}

// body is a response body with a size limit.
type body struct {
	io.ReadCloser
	left int64 // bytes left; negative for no limit
	done func()
}

func (b *body) Read(p []byte) (int, error) {
	if b.left < 0 {
		return b.ReadCloser.Read(p)
	}
	if b.left == 0 {
		return 0, errors.New("the server's answer is longer than 16 MB")
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func (b *body) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}

// explain returns an error with a sentence about what went wrong.
func (w *way) explain(at *url.URL, s Server, err error) error {
	other := map[string]string{"http": "SSE", "sse": "HTTP"}[s.Type]
	status := int(w.refused.Load())
	var dns *net.DNSError
	var network net.Error
	switch {
	case status == http.StatusUnauthorized:
		return fault.New("unauthorized", "The server requires you to sign in (401). Add a header, such as Authorization, with a secret value.").Because(err)
	case status == http.StatusForbidden:
		return fault.New("unauthorized", "The server refuses these headers (403). Check the secret.").Because(err)
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return fault.New("mcp_error", "No MCP server found over {{type}} at this address ({{status}}). Check the address, or try {{other}}.", spoken(s.Type), status, other).Because(err)
	case status != 0:
		return fault.New("mcp_error", "The server answered with the status {{status}} ({{text}}).", status, http.StatusText(status)).Because(err)
	case errors.As(err, &dns):
		return fault.New("unreachable", "The host {{host}} wasn't found. Check the address and the network.", clip.Text(at.Hostname(), maxName)).Because(err)
	case errors.As(err, &network):
		return fault.New("unreachable", "No answer from {{host}}. Check that the server is running.", clip.Text(at.Host, maxName)).Because(err)
	}
	return err
}
