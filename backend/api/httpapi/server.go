package httpapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/api/service"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/base/httpguard"
)

// Options configures [New].
type Options struct {
	Service  *service.Service
	Frontend fs.FS // with index.html at its root
	Log      zerolog.Logger
	// AnyHost disables the check of Host, for a server that other machines may reach.
	AnyHost bool
	// Session is the result of [Server.Session] from an earlier server, whose pages stay signed in. Nil starts a new
	// session.
	Session []byte
}

// Server serves Weft over HTTP.
type Server struct {
	opt Options
	// link is the token of the printed address and works once. key is the bearer token for programs. A browser
	// exchanges the link for cookie and page, which are valid only together: every server on this machine receives the
	// cookie, and only the page knows the other secret.
	link, key, cookie, page string

	linkUsed atomic.Bool
	guard    *httpguard.Guard
	http     *http.Server
	hosts    map[string]bool
}

// pageHeader carries the secret of the page.
const pageHeader = "X-Weft-Page"

// cookieName returns the name of the session's cookie. It includes the port, because cookies ignore ports.
func (s *Server) cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "weft_" + port
}

// MaxRequest is the largest body of a command, in bytes.
const MaxRequest = 16 << 20

// secrets identify the pages and programs of a server.
type secrets struct {
	Key    string `json:"key"`
	Cookie string `json:"cookie"`
	Page   string `json:"page"`
}

// Session returns the secrets of a server, for the server that replaces it. It excludes the token of the printed
// address, which works once.
func (s *Server) Session() []byte {
	raw, err := json.Marshal(secrets{s.key, s.cookie, s.page})
	if err != nil {
		return nil // can't happen: strings are always encoded
	}
	return raw
}

// New returns a server with new tokens, or with those of the server that it replaces.
func New(opt Options) *Server {
	s := &Server{
		opt: opt, link: rand.Text(), key: rand.Text(), cookie: rand.Text(), page: rand.Text(),
		guard: httpguard.New(), hosts: map[string]bool{},
	}
	var earlier secrets
	if json.Unmarshal(opt.Session, &earlier) == nil && min(len(earlier.Key), len(earlier.Cookie), len(earlier.Page)) >= len(s.key) {
		s.key, s.cookie, s.page = earlier.Key, earlier.Cookie, earlier.Page
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/health", s.health)
	mux.HandleFunc("POST /api/session", s.session)
	mux.Handle("POST /api/{method}", s.authorized(http.HandlerFunc(s.command)))
	mux.Handle("POST "+uploadPath, s.authorized(Uploads(opt.Service)))
	mux.Handle("POST "+ImportPath, s.authorized(Imports(opt.Service)))
	mux.Handle("GET /api/events", s.authorized(http.HandlerFunc(s.appEvents)))
	mux.Handle("GET /api/spaces/{id}/events", s.authorized(http.HandlerFunc(s.spaceEvents)))
	mux.Handle("GET "+ExportPath, s.authorized(Export(opt.Service)))
	mux.Handle("POST "+ExportsPath, s.authorized(ExportMany(opt.Service)))
	mux.Handle("GET /api/permissions/export", s.authorized(http.HandlerFunc(s.exportPermissions)))
	mux.Handle("GET /blob/{hash}", s.authorized(Blobs(opt.Service)))
	mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, http.StatusNotFound, "not_found", "Not found. See docs/api.md for the addresses.")
	})
	mux.Handle("/", frontend(opt.Frontend))
	s.http = &http.Server{ //nolint:gosec // guard sets the deadlines of reading
		Handler: Secure(s.rejectForeign(mux)), IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	s.guard.Watch(s.http)
	return s
}

// Serve serves requests on l until ctx ends. Then it blocks until open requests have ended, for at most 3 s.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return fmt.Errorf("read the address that is served: %w", err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
		s.hosts[host+":"+port] = true
	}
	s.hosts[l.Addr().String()] = true
	s.http.BaseContext = func(net.Listener) context.Context { return ctx }
	done := make(chan error, 1)
	go func() { done <- s.http.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := s.http.Shutdown(grace); err != nil {
		_ = s.http.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Link returns the address for a browser, with the one-time token.
func (s *Server) Link(base string) string { return base + "/#token=" + s.link }

// Key returns the bearer token for programs. It is valid until the server stops.
func (s *Server) Key() string { return s.key }

// rejectForeign refuses requests that another site makes the browser send. A browser treats other servers on this
// machine as the same site.
func (s *Server) rejectForeign(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.opt.AnyHost && !s.hosts[r.Host] {
			httpguard.TurnAway(w)
			writeError(w, http.StatusForbidden, "foreign_host", "This server answers only to its own address on this machine.")
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
			httpguard.TurnAway(w)
			writeError(w, http.StatusForbidden, "foreign_origin", "Other sites can't use this server.")
			return
		}
		if httpguard.CrossSite(r) && !isNavigation(r) {
			httpguard.TurnAway(w)
			writeError(w, http.StatusForbidden, "foreign_origin", "Other sites can't use this server.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isNavigation reports whether the request navigates to the page itself.
func isNavigation(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && !strings.HasPrefix(r.URL.Path, "/api/") && !strings.HasPrefix(r.URL.Path, "/blob/")
}

// allowed reports whether a request carries the key, or the cookie together with the page's secret.
func (s *Server) allowed(r *http.Request) bool {
	if token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); bearer {
		return httpguard.SameSecret(token, s.key)
	}
	c, err := r.Cookie(s.cookieName(r))
	return err == nil && httpguard.SameSecret(c.Value, s.cookie) && httpguard.SameSecret(r.Header.Get(pageHeader), s.page)
}

// authorized refuses requests that are not allowed before it reads their body.
func (s *Server) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.allowed(r) {
			httpguard.TurnAway(w)
			writeError(w, http.StatusUnauthorized, "unauthorized", "This request needs the token that weft serve printed. Open the printed address again, or restart weft serve to get a new one.")
			return
		}
		s.guard.Admit(w, r, 0)
		next.ServeHTTP(w, r)
	})
}

// session exchanges the one-time token for a cookie and the page's secret.
func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Token string `json:"token"`
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<10))
	if err != nil || json.Unmarshal(body, &req) != nil {
		writeError(w, http.StatusBadRequest, "invalid", `The body must be {"token":"…"}.`)
		return
	}
	switch {
	case httpguard.SameSecret(req.Token, s.key):
	case httpguard.SameSecret(req.Token, s.link) && s.linkUsed.CompareAndSwap(false, true):
	default:
		writeError(w, http.StatusUnauthorized, "unauthorized", "This address was already used, or isn't the one that weft serve printed. Restart weft serve to get a new one.")
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(r), Value: s.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	reply, err := json.Marshal(map[string]string{"page": s.page})
	if err != nil {
		writeError(w, http.StatusInternalServerError, "internal", "Something went wrong in Weft.")
		return
	}
	answer(w, http.StatusOK, reply)
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, []byte(`{"ok":true}`))
}

func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequest))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, "too_large", "The request is larger than 16 MB.")
		return
	}
	result, err := s.opt.Service.Call(r.Context(), r.PathValue("method"), body)
	if err != nil {
		s.opt.Log.Debug().Err(err).Str("command", r.PathValue("method")).Msg("refused")
		writeFault(w, service.Fault(err))
		return
	}
	answer(w, http.StatusOK, result)
}

func answer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client has disconnected
}

// writeResult writes the result of a command, or its error.
func writeResult(w http.ResponseWriter, result any, err error, options ...json.Options) {
	if err != nil {
		writeFault(w, service.Fault(err))
		return
	}
	raw, err := json.Marshal(result, options...)
	if err != nil {
		writeError(w, http.StatusInternalServerError, "internal", "Something went wrong in Weft.")
		return
	}
	answer(w, http.StatusOK, raw)
}

// writeError writes an error of this server. The status is more specific than the code.
func writeError(w http.ResponseWriter, status int, code string, template fault.Template, values ...any) {
	answer(w, status, body(fault.New(code, template, values...)))
}

// writeFault writes a command's error.
func writeFault(w http.ResponseWriter, e *fault.Error) {
	answer(w, fault.Status(e.Code), body(e))
}

func body(e *fault.Error) []byte {
	raw, err := json.Marshal(e.Wire(), command.Wire)
	if err != nil {
		return []byte(`{"code":"internal","message":"Something went wrong in Weft.","detail":""}`)
	}
	return raw
}
