package builtin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/llm/provider"
)

// loadSession replays a stored session in its original order and makes it ready to continue.
func (a *agent) loadSession(_ context.Context, p acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	s, err := a.reopen(p.SessionId, p.Cwd, p.McpServers)
	if err != nil {
		return acp.LoadSessionResponse{}, err
	}
	if err := a.replay(s); err != nil {
		return acp.LoadSessionResponse{}, internalError(fmt.Sprintf("Couldn't read the session: %v.", err))
	}
	return acp.LoadSessionResponse{Modes: s.opt.modes(), ConfigOptions: a.choices(s)}, a.announce(s)
}

// resumeSession makes a stored session ready to continue without a replay.
func (a *agent) resumeSession(_ context.Context, p acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	s, err := a.reopen(p.SessionId, p.Cwd, p.McpServers)
	if err != nil {
		return acp.ResumeSessionResponse{}, err
	}
	return acp.ResumeSessionResponse{Modes: s.opt.modes(), ConfigOptions: a.choices(s)}, a.announce(s)
}

func (a *agent) announce(s *session) error {
	update, err := commandsUpdate(a.brain.offline())
	if err == nil {
		_, err = a.out.Write(s.line(update))
	}
	a.listModels(s)
	return err
}

// forkParams is session/fork, whose servers are those of session/new.
type forkParams struct {
	SessionID  acp.SessionId   `json:"sessionId"`
	Cwd        string          `json:"cwd"`
	McpServers []acp.McpServer `json:"mcpServers"`
}

// forkSession copies a session as it is. The copy goes its own way from here.
func (a *agent) forkSession(_ context.Context, p forkParams) (acp.NewSessionResponse, error) {
	var none acp.NewSessionResponse
	if !filepath.IsAbs(p.Cwd) {
		return none, invalidParams(fmt.Sprintf("cwd must be an absolute path, not %q.", p.Cwd))
	}
	if s := a.session(p.SessionID); s != nil && s.working() {
		return none, invalidRequest("This session is working on a prompt. Wait until it has finished, or cancel it, before you fork it.")
	}
	id := a.newID()
	err := copyLog(a.set.data, p.SessionID, sessionHead{ID: id, Cwd: filepath.Clean(p.Cwd), Provider: a.set.provider.ID}, a.now(), a.keys.hide)
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
	return acp.NewSessionResponse{SessionId: id, Modes: s.opt.modes(), ConfigOptions: a.choices(s)}, nil
}

func (s *session) working() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil
}

// reopen finds a session in memory or on disk. The folder and the servers that the client names now are used.
func (a *agent) reopen(id acp.SessionId, cwd string, servers []acp.McpServer) (*session, error) {
	if !filepath.IsAbs(cwd) {
		return nil, invalidParams(fmt.Sprintf("cwd must be an absolute path, not %q.", cwd))
	}
	if s := a.session(id); s != nil {
		if s.working() {
			return nil, invalidRequest("This session is working on a prompt. Wait until it has finished, or cancel it, before you load it.")
		}
		s.mu.Lock()
		s.cwd = filepath.Clean(cwd)
		s.mu.Unlock()
		a.connect(s, servers)
		return s, nil
	}
	s := makeSession(id, cwd)
	s.opt = a.usual()
	err := s.restore(a.set.data, a.now(), a.keys.hide)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknownSession(id)
	}
	if err != nil {
		return nil, internalError(fmt.Sprintf("Couldn't open the session: %v.", err))
	}
	a.connect(s, servers)
	a.keep(s)
	return s, nil
}

// sessionsPerPage is the length of one page of session/list.
const sessionsPerPage = 100

// listSessions lists stored sessions, the last used first. The cursor is the number of sessions to skip.
func (a *agent) listSessions(_ context.Context, p acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	files, err := os.ReadDir(a.set.data)
	if err != nil {
		return acp.ListSessionsResponse{}, internalError(fmt.Sprintf("Couldn't list the sessions in %s: %v.", a.set.data, err))
	}
	skip := 0
	if p.Cursor != nil {
		if _, err := fmt.Sscanf(*p.Cursor, "%d", &skip); err != nil || skip < 0 {
			return acp.ListSessionsResponse{}, invalidParams("This cursor isn't from this agent.")
		}
	}
	all := []acp.SessionInfo{}
	for _, file := range files {
		id, ok := strings.CutSuffix(file.Name(), ".jsonl")
		if !ok {
			continue
		}
		info, ok := a.sessionInfo(acp.SessionId(id), file)
		if ok && (p.Cwd == nil || filepath.Clean(*p.Cwd) == info.Cwd) {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(x, y acp.SessionInfo) int {
		return cmp.Or(cmp.Compare(*y.UpdatedAt, *x.UpdatedAt), cmp.Compare(x.SessionId, y.SessionId))
	})
	page := acp.ListSessionsResponse{Sessions: all[min(skip, len(all)):]}
	if len(page.Sessions) > sessionsPerPage {
		page.Sessions = page.Sessions[:sessionsPerPage]
		page.NextCursor = acp.Ptr(strconv.Itoa(skip + sessionsPerPage))
	}
	return page, nil
}

// sessionInfo reads the start of a log, up to the first prompt, which is the title.
func (a *agent) sessionInfo(id acp.SessionId, file fs.DirEntry) (acp.SessionInfo, bool) {
	info := acp.SessionInfo{SessionId: id}
	stat, err := file.Info()
	if err != nil {
		return info, false
	}
	info.UpdatedAt = acp.Ptr(stat.ModTime().UTC().Format("2006-01-02T15:04:05.000Z"))
	err = readLog(a.set.data, id, func(r record) bool {
		if r.Session != nil {
			info.Cwd = r.Session.Cwd
			if cmp.Or(r.Session.Provider, provider.Guide) != a.set.provider.ID {
				info.Cwd = "" // another of Weft's agents lists it
				return false
			}
		}
		if bytes.Contains(r.Update, []byte(`"user_message_chunk"`)) {
			var u acp.SessionUpdate
			if json.Unmarshal(r.Update, &u) == nil && u.UserMessageChunk != nil && u.UserMessageChunk.Content.Text != nil {
				info.Title = acp.Ptr(title(u.UserMessageChunk.Content.Text.Text))
				return false
			}
		}
		return true
	})
	return info, err == nil && info.Cwd != ""
}

const titleRunes = 60

// title makes one short line of a prompt.
func title(prompt string) string {
	line := []rune(strings.Join(strings.Fields(prompt), " "))
	if len(line) > titleRunes {
		return strings.TrimSpace(string(line[:titleRunes])) + "…"
	}
	return string(line)
}
