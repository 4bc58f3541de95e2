package builtin

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

// session is one conversation about one folder.
type session struct {
	id  acp.SessionId
	cwd string
	log *sessionLog

	mu      sync.Mutex
	running *turn // nil between turns
	turns   int   // prompts so far, also those before a restart
	granted bool  // the person allowed all edits
}

func (a *agent) newSession(_ context.Context, p acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	if !filepath.IsAbs(p.Cwd) {
		return acp.NewSessionResponse{}, invalidParams(fmt.Sprintf("cwd has to be an absolute path; it is %q.", p.Cwd))
	}
	s := &session{id: acp.SessionId("guide-" + strings.ToLower(rand.Text()[:20])), cwd: filepath.Clean(p.Cwd)}
	var err error
	if s.log, err = createLog(a.data, sessionHead{ID: s.id, Cwd: s.cwd}, a.now()); err != nil {
		return acp.NewSessionResponse{}, internalError(fmt.Sprintf("The session cannot be stored in %s: %v.", a.data, err))
	}
	a.keep(s)
	if line, err := commandsLine(s.id); err == nil {
		a.out.after(s.id, line)
	}
	return acp.NewSessionResponse{SessionId: s.id}, nil
}

// commandsLine is the message about commands, which a client can only place once it knows the session.
func commandsLine(id acp.SessionId) ([]byte, error) {
	update, err := commandsUpdate()
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(struct {
		JSONRPC string       `json:"jsonrpc"`
		Method  string       `json:"method"`
		Params  notification `json:"params"`
	}{"2.0", acp.ClientMethodSessionUpdate, notification{id, update}})
	return append(line, '\n'), err
}

func (a *agent) keep(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions[s.id] = s
}

func (a *agent) session(id acp.SessionId) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

func unknownSession(id acp.SessionId) error {
	return &acp.RequestError{Code: -32002, Message: fmt.Sprintf("There is no session %q here.", id)}
}

// loadSession replays a stored session in its original order and makes it ready to go on.
func (a *agent) loadSession(_ context.Context, p acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	s, err := a.reopen(p.SessionId, p.Cwd)
	if err != nil {
		return acp.LoadSessionResponse{}, err
	}
	err = readLog(a.data, s.id, func(r record) bool {
		return len(r.Update) == 0 || a.send(s.id, r.Update) == nil
	})
	if err != nil {
		return acp.LoadSessionResponse{}, internalError(fmt.Sprintf("The session cannot be read: %v.", err))
	}
	return acp.LoadSessionResponse{}, a.sendCommands(s.id)
}

// resumeSession makes a stored session ready to go on without a replay.
func (a *agent) resumeSession(_ context.Context, p acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	s, err := a.reopen(p.SessionId, p.Cwd)
	if err != nil {
		return acp.ResumeSessionResponse{}, err
	}
	return acp.ResumeSessionResponse{}, a.sendCommands(s.id)
}

func (a *agent) sendCommands(id acp.SessionId) error {
	update, err := commandsUpdate()
	if err != nil {
		return err
	}
	return a.send(id, update)
}

// reopen finds a session in memory or on disk. The folder the client names now is the one that is used.
func (a *agent) reopen(id acp.SessionId, cwd string) (*session, error) {
	if !filepath.IsAbs(cwd) {
		return nil, invalidParams(fmt.Sprintf("cwd has to be an absolute path; it is %q.", cwd))
	}
	if s := a.session(id); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running != nil {
			return nil, invalidRequest("This session is working on a prompt. Wait until it has finished, or cancel it, and load it then.")
		}
		s.cwd = filepath.Clean(cwd)
		return s, nil
	}
	s := &session{id: id, cwd: filepath.Clean(cwd)}
	open := openCalls{}
	ended := true
	err := readLog(a.data, id, func(r record) bool {
		switch {
		case r.Stop != "":
			ended = true
		case r.Grant == "edit":
			s.granted = true
		case len(r.Update) > 0:
			kind := open.see(r.Update)
			if kind == "user_message_chunk" && ended {
				s.turns++
				ended = false
			}
		}
		return true
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknownSession(id)
	}
	if err == nil {
		s.log, err = openLog(a.data, id)
	}
	if err == nil && !ended {
		err = s.interrupted(open, a.now())
	}
	if err != nil {
		return nil, internalError(fmt.Sprintf("The session cannot be opened: %v.", err))
	}
	a.keep(s)
	return s, nil
}

// interrupted closes a turn that the end of a process cut off: calls that were open are marked.
func (s *session) interrupted(open openCalls, at time.Time) error {
	for _, id := range open.ids {
		update, err := json.Marshal(endOfCall(id, "Interrupted: the agent was stopped.", map[string]any{"interrupted": true}))
		if err != nil {
			return err
		}
		if err := s.log.append(record{At: at.UnixMilli(), Update: update}); err != nil {
			return err
		}
	}
	return s.log.append(record{At: at.UnixMilli(), Stop: "interrupted"})
}

// openCalls follows the tool calls of a log that have not ended.
type openCalls struct{ ids []acp.ToolCallId }

func (o *openCalls) see(update json.RawMessage) (kind string) {
	var u struct {
		Kind   string             `json:"sessionUpdate"`
		ID     acp.ToolCallId     `json:"toolCallId"`
		Status acp.ToolCallStatus `json:"status"`
	}
	if json.Unmarshal(update, &u) != nil || u.ID == "" {
		return u.Kind
	}
	ended := u.Status == acp.ToolCallStatusCompleted || u.Status == acp.ToolCallStatusFailed
	at := slices.Index(o.ids, u.ID)
	switch {
	case ended && at >= 0:
		o.ids = slices.Delete(o.ids, at, at+1)
	case !ended && at < 0:
		o.ids = append(o.ids, u.ID)
	}
	return u.Kind
}

func (a *agent) closeSession(_ context.Context, p acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	a.mu.Lock()
	s := a.sessions[p.SessionId]
	delete(a.sessions, p.SessionId)
	a.mu.Unlock()
	if s == nil {
		return acp.CloseSessionResponse{}, unknownSession(p.SessionId)
	}
	s.mu.Lock()
	running := s.running
	s.mu.Unlock()
	if running != nil {
		running.stop()
		<-running.done
	}
	return acp.CloseSessionResponse{}, s.log.close()
}

// sessionsPerPage is the length of one page of session/list.
const sessionsPerPage = 100

// listSessions lists stored sessions, the last used first. The cursor is the number of sessions to skip.
func (a *agent) listSessions(_ context.Context, p acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	files, err := os.ReadDir(a.data)
	if err != nil {
		return acp.ListSessionsResponse{}, internalError(fmt.Sprintf("The sessions in %s cannot be listed: %v.", a.data, err))
	}
	skip := 0
	if p.Cursor != nil {
		if _, err := fmt.Sscanf(*p.Cursor, "%d", &skip); err != nil || skip < 0 {
			return acp.ListSessionsResponse{}, invalidParams("The cursor is not one that this agent gave.")
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
	err = readLog(a.data, id, func(r record) bool {
		if r.Session != nil {
			info.Cwd = r.Session.Cwd
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
