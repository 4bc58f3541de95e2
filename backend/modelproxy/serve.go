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

	"weft/backend/httpguard"
)

// passing is what a request on its way carries.
type passing struct {
	t       *Tunnel
	to      *url.URL
	path    string // behind the route, as it was sent: "" or with a slash first
	request uint64
}

type passingKey struct{}

// ServeHTTP lets requests through that come from a program of this machine with the token of a tunnel.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect || r.URL.IsAbs() || r.Host != p.host: // someone takes it for a proxy to anywhere, or a name leads here
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
	path := rest[len(number):] // with its slash, if it has one
	to := t.route(number)
	if to == nil || climbs(path) {
		turnAway(w, http.StatusNotFound, "The model proxy of Weft has no such route.")
		return
	}
	p.guard.Admit(w, r, 0)
	// An answer may begin while the request is still being sent; the server would end the request then.
	_ = http.NewResponseController(w).EnableFullDuplex() // which is only for HTTP/1.1, the version that is spoken here
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

// climbs reports whether a path leads out of what it is below.
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

// newForward makes what passes requests and returns on.
func (p *Proxy) newForward() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite:        rewrite,
		Transport:      roundTripper{},
		FlushInterval:  -1, // at once
		ModifyResponse: p.trace,
		ErrorHandler:   p.failed,
		ErrorLog:       log.New(io.Discard, "", 0), // what breaks off is the agent's and the model's
		BufferPool:     &buffers{},
	}
}

// rewrite gives a request its address. All else goes as it came.
func rewrite(r *httputil.ProxyRequest) {
	of, _ := r.In.Context().Value(passingKey{}).(*passing)
	u := *of.to
	escaped := u.EscapedPath() + of.path
	u.Path, _ = url.PathUnescape(escaped) // ServeHTTP has tried it
	u.RawPath = escaped
	u.RawQuery, u.ForceQuery = r.In.URL.RawQuery, r.In.URL.ForceQuery
	r.Out.URL, r.Out.Host = &u, u.Host
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Te"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
}

// roundTripper sends a request as its tunnel does.
type roundTripper struct{}

// RoundTrip implements http.RoundTripper.
func (roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	of, _ := r.Context().Value(passingKey{}).(*passing)
	return of.t.out.RoundTrip(r)
}

// failed answers for an upstream that can't be reached. An answer that has begun just breaks off, as it did upstream.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	of, _ := r.Context().Value(passingKey{}).(*passing)
	p.log.Debug().Str("host", of.to.Host).Bool("canceled", r.Context().Err() != nil).Msg("a model can't be reached")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(w, "Couldn't reach the model at "+of.to.Host+": "+reason(err))
}

// reason is an error without the address that Go puts in front: the agent does not know it by that.
func reason(err error) string {
	text := err.Error()
	if _, rest, found := strings.Cut(text, ": "); found && strings.HasPrefix(text, "dial ") {
		return rest
	}
	return text
}

// asSent keeps the server from adding headers that the answer does not have.
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
