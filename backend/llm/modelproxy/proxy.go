package modelproxy

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/net/http/httpproxy"

	"weft/backend/base/httpguard"
	"weft/backend/files/regular"
)

// Proxy is the proxy server. Its methods are safe for concurrent use.
type Proxy struct {
	log     zerolog.Logger
	forward *httputil.ReverseProxy

	mu      sync.Mutex
	server  *http.Server // nil until the first tunnel
	guard   *httpguard.Guard
	host    string // address on which it listens
	served  chan struct{}
	closed  bool
	tunnels map[[sha256.Size]byte]*Tunnel // by the hash of their tokens
}

// New returns a proxy. It starts listening with its first tunnel.
func New(log zerolog.Logger) *Proxy {
	p := &Proxy{log: log, tunnels: map[[sha256.Size]byte]*Tunnel{}}
	p.forward = p.newForward()
	return p
}

// Tunnel is the access of one agent process to its models.
type Tunnel struct {
	p    *Proxy
	key  [sha256.Size]byte
	base string
	read func(Event)
	out  http.RoundTripper
	idle func()
	life context.Context //nolint:containedctx // requests are canceled when it ends
	end  context.CancelFunc

	mu       sync.Mutex
	routes   []*url.URL
	requests uint64
	behind   int           // responses that were passed on and aren't parsed to their end
	caught   chan struct{} // closed when behind becomes 0; nil if nobody waits
}

// Open returns a tunnel for a process with the environment env, in the form of os.Environ. The tunnel uses its
// variables for HTTP proxies and certificates. read is called with what was parsed, one event at a time per request.
func (p *Proxy) Open(env []string, read func(Event)) (*Tunnel, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.listen(); err != nil {
		return nil, err
	}
	token := rand.Text() + rand.Text()
	life, end := context.WithCancel(context.Background())
	out := transport(env)
	t := &Tunnel{p: p, key: sha256.Sum256([]byte(token)), base: "http://" + p.host + "/" + token, read: read, out: out, idle: out.CloseIdleConnections, life: life, end: end}
	p.tunnels[t.key] = t
	return t, nil
}

// listen starts the server. The mutex is held.
func (p *Proxy) listen() error {
	switch {
	case p.closed:
		return errors.New("open the model proxy: it was closed")
	case p.server != nil:
		return nil
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("open the model proxy: %w", err)
	}
	p.host, p.guard, p.served = l.Addr().String(), httpguard.New(), make(chan struct{})
	p.server = &http.Server{Handler: p, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 1 << 20, ErrorLog: log.New(io.Discard, "", 0)} //nolint:gosec // guard sets the read deadlines
	p.guard.Watch(p.server)
	server, served := p.server, p.served
	go func() {
		defer close(served)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			p.log.Error().Err(err).Msg("the model proxy has ended")
		}
	}()
	return nil
}

// Close ends all tunnels and their requests. It blocks until nothing is left, or until ctx ends.
func (p *Proxy) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	server, served := p.server, p.served
	for _, t := range p.tunnels {
		t.end()
		t.idle()
	}
	clear(p.tunnels)
	p.mu.Unlock()
	if server == nil {
		return nil
	}
	_ = server.Close() // requests have ended with their tunnels
	select {
	case <-served:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends the tunnel. Its token becomes invalid.
func (t *Tunnel) Close() {
	t.p.mu.Lock()
	delete(t.p.tunnels, t.key)
	t.p.mu.Unlock()
	t.end()
	t.idle()
}

// Token returns the tunnel's secret, which must not be logged.
func (t *Tunnel) Token() string { return t.base[strings.LastIndexByte(t.base, '/')+1:] }

// Route returns the address that replaces an upstream, without a trailing slash. Requests to it go only to that
// upstream.
func (t *Tunnel) Route(upstream string) (base string, err error) {
	u, err := url.Parse(strings.TrimSpace(upstream))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address of the model isn't an http or https URL")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, known := range t.routes {
		if known.String() == u.String() {
			return t.base + "/" + strconv.Itoa(i), nil
		}
	}
	t.routes = append(t.routes, u)
	return t.base + "/" + strconv.Itoa(len(t.routes)-1), nil
}

// Routes reports whether an address was returned by [Tunnel.Route].
func (t *Tunnel) Routes(address string) bool { return strings.HasPrefix(address, t.base+"/") }

// CatchUp blocks until all traffic up to now has been parsed, or ctx ends.
func (t *Tunnel) CatchUp(ctx context.Context) {
	t.mu.Lock()
	if t.behind == 0 {
		t.mu.Unlock()
		return
	}
	if t.caught == nil {
		t.caught = make(chan struct{})
	}
	caught := t.caught
	t.mu.Unlock()
	select {
	case <-caught:
	case <-ctx.Done():
	}
}

// fallBehind adds to the number of responses that were passed on and are still being parsed.
func (t *Tunnel) fallBehind(by int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.behind += by; t.behind == 0 && t.caught != nil {
		close(t.caught)
		t.caught = nil
	}
}

// find returns the tunnel of a token, or nil.
func (p *Proxy) find(token string) *Tunnel {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tunnels[sha256.Sum256([]byte(token))]
}

// transport returns a transport that behaves like a program with that environment.
func transport(env []string) *http.Transport {
	get := getter(env)
	proxies := httpproxy.Config{HTTPProxy: get("HTTP_PROXY", "http_proxy"), HTTPSProxy: get("HTTPS_PROXY", "https_proxy"), NoProxy: get("NO_PROXY", "no_proxy")}
	choose := proxies.ProxyFunc()
	return &http.Transport{
		Proxy:               func(r *http.Request) (*url.URL, error) { return choose(r.URL) },
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{RootCAs: roots(get("NODE_EXTRA_CA_CERTS"), get("SSL_CERT_FILE")), MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 15 * time.Second,
		ForceAttemptHTTP2:   true,
		DisableCompression:  true, // the agent decides about compression
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
		ReadBufferSize:      64 << 10,
		WriteBufferSize:     64 << 10,
	}
}

// maxConfig is the size limit for configuration files of an agent, in bytes.
const maxConfig = 16 << 20

// roots returns the system's certificates together with those in files that the agent also trusts, or nil for the
// system's only.
func roots(files ...string) *x509.CertPool {
	var pool *x509.CertPool
	for _, file := range files {
		if file == "" {
			continue
		}
		pem, err := regular.ReadPath(file, maxConfig)
		if err != nil {
			continue // the agent can't read it either
		}
		if pool == nil {
			if pool, err = x509.SystemCertPool(); err != nil {
				pool = x509.NewCertPool()
			}
		}
		pool.AppendCertsFromPEM(pem)
	}
	return pool
}

// getter returns a function that returns the value of the first variable that is set.
func getter(env []string) func(names ...string) string {
	return func(names ...string) string {
		for _, name := range names {
			for i := len(env) - 1; i >= 0; i-- {
				if value, ok := strings.CutPrefix(env[i], name+"="); ok && value != "" {
					return value
				}
			}
		}
		return ""
	}
}
