package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	acp "github.com/coder/acp-go-sdk"
)

// loadSession opens a stored session and replays it in its original order.
func (a *agent) loadSession(_ context.Context, p acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	s, err := a.reopen(p.SessionId, p.Cwd, p.McpServers)
	if err != nil {
		return acp.LoadSessionResponse{}, err
	}
	if err := s.replay(a.store); err != nil {
		return acp.LoadSessionResponse{}, internalError(fmt.Sprintf("Couldn't read the session: %v.", err))
	}
	return acp.LoadSessionResponse{Modes: s.selection.options.modes(), ConfigOptions: s.choices(a.brain.offline())}, a.announce(s)
}

// resumeSession opens a stored session without a replay.
func (a *agent) resumeSession(_ context.Context, p acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	s, err := a.reopen(p.SessionId, p.Cwd, p.McpServers)
	if err != nil {
		return acp.ResumeSessionResponse{}, err
	}
	return acp.ResumeSessionResponse{Modes: s.selection.options.modes(), ConfigOptions: s.choices(a.brain.offline())}, a.announce(s)
}

// forkParams are the parameters of session/fork, with servers as in session/new.
type forkParams struct {
	SessionID  acp.SessionId   `json:"sessionId"`
	Cwd        string          `json:"cwd"`
	McpServers []acp.McpServer `json:"mcpServers"`
}

// forkSession copies a session. The copy is independent of the original.
func (a *agent) forkSession(_ context.Context, p forkParams) (acp.NewSessionResponse, error) {
	var none acp.NewSessionResponse
	if !filepath.IsAbs(p.Cwd) {
		return none, invalidParams(fmt.Sprintf("cwd must be an absolute path, not %q.", p.Cwd))
	}
	if s := a.sessions.get(p.SessionID); s != nil && s.working() {
		return none, invalidRequest("This session is working on a prompt. Wait until it has finished, or cancel it, before you fork it.")
	}
	id := newSessionID(a.brain.offline())
	err := a.store.copy(p.SessionID, sessionHead{ID: id, Cwd: filepath.Clean(p.Cwd), Provider: a.set.provider.ID}, a.now())
	if errors.Is(err, fs.ErrNotExist) {
		return none, unknownSession(p.SessionID)
	}
	if err != nil {
		return none, internalError(fmt.Sprintf("Couldn't copy the session: %v.", err))
	}
	s, err := a.reopen(id, p.Cwd, p.McpServers)
	if err != nil {
		return none, err
	}
	a.announceLater(s)
	return acp.NewSessionResponse{SessionId: id, Modes: s.selection.options.modes(), ConfigOptions: s.choices(a.brain.offline())}, nil
}

// reopen finds a session in memory or on disk. It gets the given folder and servers.
func (a *agent) reopen(id acp.SessionId, cwd string, servers []acp.McpServer) (*session, error) {
	if !filepath.IsAbs(cwd) {
		return nil, invalidParams(fmt.Sprintf("cwd must be an absolute path, not %q.", cwd))
	}
	if s := a.sessions.get(id); s != nil {
		if s.working() {
			return nil, invalidRequest("This session is working on a prompt. Wait until it has finished, or cancel it, before you load it.")
		}
		s.mu.Lock()
		s.cwd = filepath.Clean(cwd)
		s.mu.Unlock()
		a.connect(s, servers)
		return s, nil
	}
	s := makeSession(id, cwd, a.client.out)
	s.selection.options = a.set.options()
	err := s.restore(a.store, a.now())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknownSession(id)
	}
	if err != nil {
		return nil, internalError(fmt.Sprintf("Couldn't open the session: %v.", err))
	}
	a.connect(s, servers)
	a.sessions.keep(s)
	return s, nil
}

// sessionsPerPage is the page size of session/list.
const sessionsPerPage = 100

// listSessions lists stored sessions, last used first. The cursor is the number of sessions to skip.
func (a *agent) listSessions(_ context.Context, p acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	all, err := a.store.list(a.set.provider.ID, p.Cwd)
	if err != nil {
		return acp.ListSessionsResponse{}, internalError(fmt.Sprintf("Couldn't list the sessions in %s: %v.", a.set.data, err))
	}
	skip := 0
	if p.Cursor != nil {
		if _, err := fmt.Sscanf(*p.Cursor, "%d", &skip); err != nil || skip < 0 {
			return acp.ListSessionsResponse{}, invalidParams("This cursor isn't from this agent.")
		}
	}
	page := acp.ListSessionsResponse{Sessions: all[min(skip, len(all)):]}
	if len(page.Sessions) > sessionsPerPage {
		page.Sessions = page.Sessions[:sessionsPerPage]
		page.NextCursor = acp.Ptr(strconv.Itoa(skip + sessionsPerPage))
	}
	return page, nil
}
