package gateway

import (
	"context"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const instructions = "Weft is where people and agents work together, in spaces. With these tools you see and write to the spaces that you are a member of, " +
	"and show things to people: cards, tables, charts, forms. A tool that has targetSpaceId is shown in that space; without it no one sees it."

// maxConnections is the maximum number of MCP sessions per token. Agents that reconnect don't always close the previous
// session.
const maxConnections = 32

// session is the MCP server of one token.
type session struct {
	g      *Gateway
	caller Caller
	life   context.Context //nolint:containedctx // ends when the token is revoked, and with it calls
	cancel context.CancelFunc
	server *sdk.Server
	http   http.Handler

	syncing sync.Mutex
	has     map[string]*tool // the server's tools; guarded by syncing

	mu   sync.Mutex
	busy map[*sdk.ServerSession]int // number of calls in progress
	open map[string]*response       // responses in progress, by the value of responseHeader
}

func newSession(g *Gateway, c Caller) *session {
	s := &session{g: g, caller: c, has: map[string]*tool{}, busy: map[*sdk.ServerSession]int{}, open: map[string]*response{}}
	s.life, s.cancel = context.WithCancel(g.life)
	s.server = sdk.NewServer(&sdk.Implementation{Name: "weft", Title: "Weft", Version: g.opt.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}},
	})
	s.server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == "tools/list" {
				if err := g.opt.Host.Reached(c, ""); err != nil {
					return nil, err
				}
				g.ready(ctx)
				s.sync()
			}
			return next(ctx, method, req)
		}
	})
	// A separate handler, so that a token can't reach another token's MCP sessions.
	s.http = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.server }, nil)
	return s
}

func (s *session) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" {
		s.makeRoom()
	}
	// End streams when the token is revoked, even if the client keeps them open.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	r = r.WithContext(ctx)
	switch r.Method {
	case http.MethodPost:
		out, over := s.answering(w, r)
		defer over()
		w = out
	case http.MethodGet:
		out, over := s.listening(w)
		defer over()
		w = out
	}
	s.http.ServeHTTP(w, r)
}

// makeRoom closes the oldest idle MCP session if there are too many.
func (s *session) makeRoom() {
	var oldest *sdk.ServerSession
	n := 0
	for one := range s.server.Sessions() {
		n++
		s.mu.Lock()
		if oldest == nil && s.busy[one] == 0 {
			oldest = one
		}
		s.mu.Unlock()
	}
	if n >= maxConnections && oldest != nil {
		_ = oldest.Close()
	}
}

// calling counts a call as in progress until done is called.
func (s *session) calling(of *sdk.ServerSession) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy[of]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.busy[of]--; s.busy[of] == 0 {
			delete(s.busy, of)
		}
	}
}

// sync updates the server's tools to the current catalog. The SDK notifies clients of changes.
func (s *session) sync() {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	c := s.g.Catalog()
	var gone []string
	for name := range s.has {
		if c.tools[name] == nil {
			gone = append(gone, name)
			delete(s.has, name)
		}
	}
	if len(gone) > 0 {
		s.server.RemoveTools(gone...)
	}
	for _, name := range c.order {
		if t := c.tools[name]; s.has[name] != t {
			s.server.AddTool(t.offer(), s.handle)
			s.has[name] = t
		}
	}
}

// close cancels the token's calls and closes its MCP sessions, and waits until they have ended.
func (s *session) close() {
	s.cancel()
	for one := range s.server.Sessions() {
		_ = one.Close()
	}
}
