package builtin

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"
)

// openSessions are the open sessions by their ids.
type openSessions struct {
	mu  sync.Mutex
	all map[acp.SessionId]*session
}

// keep adds a session.
func (o *openSessions) keep(s *session) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all[s.id] = s
}

// get returns a session, or nil if it isn't open.
func (o *openSessions) get(id acp.SessionId) *session {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[id]
}

// take removes and returns a session, or nil if it isn't open. The caller must close it.
func (o *openSessions) take(id acp.SessionId) *session {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.all[id]
	delete(o.all, id)
	return s
}

// closeAll removes and closes all sessions, after their turns.
func (o *openSessions) closeAll() {
	o.mu.Lock()
	all := o.all
	o.all = map[acp.SessionId]*session{}
	o.mu.Unlock()
	for _, s := range all {
		s.close()
	}
}

// newSessionID returns a new random id. Sessions of the offline guide and of models have different prefixes.
func newSessionID(offline bool) acp.SessionId {
	kind := "weft-"
	if offline {
		kind = "guide-"
	}
	return acp.SessionId(kind + strings.ToLower(rand.Text()[:20]))
}

func (a *agent) newSession(ctx context.Context, p acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	var none acp.NewSessionResponse
	if !filepath.IsAbs(p.Cwd) {
		return none, invalidParams(fmt.Sprintf("cwd must be an absolute path, not %q.", p.Cwd))
	}
	if err := a.brain.signedIn(ctx); err != nil {
		return none, err
	}
	s := makeSession(newSessionID(a.brain.offline()), p.Cwd, a.client.out)
	s.selection.options = a.set.options()
	var err error
	if s.log, err = a.store.create(sessionHead{ID: s.id, Cwd: s.cwd, Provider: a.set.provider.ID}, a.now()); err == nil {
		err = s.log.append(record{At: a.now().UnixMilli(), Options: &s.selection.options})
	}
	if err != nil {
		return none, internalError(fmt.Sprintf("Couldn't store the session in %s: %v.", a.set.data, err))
	}
	a.connect(s, p.McpServers)
	a.sessions.keep(s)
	a.announceLater(s)
	return acp.NewSessionResponse{SessionId: s.id, Modes: s.selection.options.modes(), ConfigOptions: s.choices(a.brain.offline())}, nil
}

// connect starts connecting the MCP servers of a session, after closing its previous ones.
func (a *agent) connect(s *session, list []acp.McpServer) {
	hideKeys(a.keys.hide, list)
	s.setServers(nil).close()
	if len(list) > 0 && !a.brain.offline() {
		s.setServers(connectServers(a.life, &a.opening, list, s.folder()))
	}
}

func unknownSession(id acp.SessionId) error {
	return &acp.RequestError{Code: -32002, Message: fmt.Sprintf("No session %q found.", id)}
}

func (a *agent) closeSession(_ context.Context, p acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	s := a.sessions.take(p.SessionId)
	if s == nil {
		return acp.CloseSessionResponse{}, unknownSession(p.SessionId)
	}
	return acp.CloseSessionResponse{}, s.close()
}

// deleteSession closes a session and removes its log and its kept files.
func (a *agent) deleteSession(_ context.Context, p acp.UnstableDeleteSessionRequest) (acp.UnstableDeleteSessionResponse, error) {
	s := a.sessions.take(p.SessionId)
	if s != nil {
		if err := s.close(); err != nil {
			a.log.Warn("session wasn't closed", "session", s.id, "err", err)
		}
	}
	var none acp.UnstableDeleteSessionResponse
	if err := a.store.remove(p.SessionId); err != nil {
		return none, internalError(fmt.Sprintf("Couldn't delete the session: %v.", err))
	}
	return none, nil
}
