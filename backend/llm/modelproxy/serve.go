package modelproxy

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"

	"weft/backend/base/httpguard"
)

// passing is the context value of a request.
type passing struct {
	t       *Tunnel
	to      *url.URL
	path    string // the path after the route, as sent: "" or with a leading slash
	request uint64
}

type passingKey struct{}

// ServeHTTP forwards requests from programs on this machine that have the token of a tunnel.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect || r.URL.IsAbs() || r.Host != p.host: // used as a general proxy, or reached by another name
		turnAway(w, http.StatusForbidden, "The model proxy of Weft answers only to its own address on this machine.")
		return
	case httpguard.Foreign(r):
		turnAway(w, http.StatusForbidden, "Web pages can't use the model proxy of Weft.")
		return
	}
	token, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	t := p.find(token)
	if t == nil {
		turnAway(w, http.StatusUnauthorized, "This address isn't valid: its agent has ended, or it never existed.")
		return
	}
	number, _, _ := strings.Cut(rest, "/")
	path := rest[len(number):] // with a leading slash, if there is one
	to := t.route(number)
	if to == nil || climbs(path) {
		turnAway(w, http.StatusNotFound, "The model proxy of Weft has no such route.")
		return
	}
	p.guard.Admit(w, r, 0)
	// A response may begin while the request is still being sent. Otherwise the server would end the request then.
	_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/1.1 only, which is the version used here
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(t.life, cancel)()
	of := &passing{t: t, to: to, path: path, request: t.next()}
	p.forward.ServeHTTP(asSent{w}, r.WithContext(context.WithValue(ctx, passingKey{}, of)))
}

func (t *Tunnel) route(number string) *url.URL {
	n, err := strconv.Atoi(number)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil || n < 0 || n >= len(t.routes) {
		return nil
	}
	return t.routes[n]
}

func (t *Tunnel) next() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
	return t.requests
}

// climbs reports whether a path leads out of its route.
func climbs(path string) bool {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return true
	}
	for part := range strings.FieldsFuncSeq(plain, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == ".." || part == "." {
			return true
		}
	}
	return false
}

func turnAway(w http.ResponseWriter, status int, message string) {
	httpguard.TurnAway(w)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.Error(w, message, status)
}

// newForward returns the reverse proxy.
func (p *Proxy) newForward() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite:        rewrite,
		Transport:      roundTripper{},
		FlushInterval:  -1, // flush immediately
		ModifyResponse: p.trace,
		ErrorHandler:   p.failed,
		ErrorLog:       log.New(io.Discard, "", 0), // broken connections aren't errors of Weft
		BufferPool:     &buffers{},
	}
}

// rewrite sets the address of a request and leaves everything else unchanged.
func rewrite(r *httputil.ProxyRequest) {
	of, _ := r.In.Context().Value(passingKey{}).(*passing)
	u := *of.to
	escaped := u.EscapedPath() + of.path
	u.Path, _ = url.PathUnescape(escaped) // ServeHTTP has checked it
	u.RawPath = escaped
	u.RawQuery, u.ForceQuery = r.In.URL.RawQuery, r.In.URL.ForceQuery
	r.Out.URL, r.Out.Host = &u, u.Host
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Te"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
}

// roundTripper sends a request through the transport of its tunnel.
type roundTripper struct{}

// RoundTrip implements http.RoundTripper.
func (roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	of, _ := r.Context().Value(passingKey{}).(*passing)
	return of.t.out.RoundTrip(r)
}

// failed responds if the upstream can't be reached. A response that has begun is cut off, as it was upstream.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	of, _ := r.Context().Value(passingKey{}).(*passing)
	p.log.Debug().Str("host", of.to.Host).Bool("canceled", r.Context().Err() != nil).Msg("a model can't be reached")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(w, "Couldn't reach the model at "+of.to.Host+": "+reason(err))
}

// reason returns an error without the address that Go puts first, because the agent doesn't know the model by that
// address.
func reason(err error) string {
	text := err.Error()
	if _, rest, found := strings.Cut(text, ": "); found && strings.HasPrefix(text, "dial ") {
		return rest
	}
	return text
}

// asSent keeps the server from adding headers that the response doesn't have.
type asSent struct{ http.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w asSent) WriteHeader(status int) {
	for _, name := range []string{"Content-Type", "Date"} {
		if _, told := w.Header()[name]; !told && status >= http.StatusOK {
			w.Header()[name] = nil
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w asSent) Unwrap() http.ResponseWriter { return w.ResponseWriter }
