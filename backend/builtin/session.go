package builtin

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/loop"
	"weft/backend/builtin/mcptools"
	"weft/backend/builtin/tool"
	"weft/backend/llm"
)

// session is one conversation about one folder.
type session struct {
	id   acp.SessionId
	log  *sessionLog
	head []byte // of a line that carries an update of this session
	seen *tool.Seen

	mu      sync.Mutex
	cwd     string
	running *turn // nil between turns
	turns   int   // prompts so far, also those before a restart
	view    loop.View
	opt     options
	models  []llm.ModelInfo // to choose from, once they are known
	grants  map[string]bool // what the user allowed for the rest of the session; see tool.Prepared.Grant
	system  string          // made at the first prompt, so that what the model is sent begins the same each time
	cost    float64         // US dollars so far
	mcp     *servers
	losses  map[string]bool // sentences that were logged
	again   *llm.ToolCall   // that the next prompt begins with, nil if there is none
}

// servers are the MCP servers of a session, which are connected while the user writes the first prompt.
type servers struct {
	ready chan struct{}
	set   *mcptools.Set
	end   context.CancelFunc
}

// wait returns the servers once they are connected or have failed, nil if ctx ends before or there are none.
func (m *servers) wait(ctx context.Context) *mcptools.Set {
	if m == nil {
		return nil
	}
	select {
	case <-m.ready:
		return m.set
	case <-ctx.Done():
		return nil
	}
}

func (m *servers) close() {
	if m != nil {
		m.end()
		<-m.ready
		m.set.Close()
	}
}

func (a *agent) newID() acp.SessionId {
	kind := "weft-"
	if a.brain.offline() {
		kind = "guide-"
	}
	return acp.SessionId(kind + strings.ToLower(rand.Text()[:20]))
}

func makeSession(id acp.SessionId, cwd string) *session {
	name, _ := json.Marshal(string(id)) // a string
	return &session{
		id: id, cwd: filepath.Clean(cwd), seen: &tool.Seen{}, grants: map[string]bool{}, losses: map[string]bool{},
		head: []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":` + string(name) + `,"update":`),
	}
}

func (a *agent) newSession(ctx context.Context, p acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	var none acp.NewSessionResponse
	if !filepath.IsAbs(p.Cwd) {
		return none, invalidParams(fmt.Sprintf("cwd must be an absolute path, not %q.", p.Cwd))
	}
	if err := a.signedIn(ctx); err != nil {
		return none, err
	}
	s := makeSession(a.newID(), p.Cwd)
	s.opt = a.usual()
	var err error
	if s.log, err = createLog(a.set.data, sessionHead{ID: s.id, Cwd: s.cwd, Provider: a.set.provider.ID}, a.now(), a.keys.hide); err == nil {
		err = s.log.append(record{At: a.now().UnixMilli(), Options: &s.opt})
	}
	if err != nil {
		return none, internalError(fmt.Sprintf("Couldn't store the session in %s: %v.", a.set.data, err))
	}
	a.connect(s, p.McpServers)
	a.keep(s)
	a.announceLater(s)
	return acp.NewSessionResponse{SessionId: s.id, Modes: s.opt.modes(), ConfigOptions: a.choices(s)}, nil
}

// announceLater tells the client about the session's commands and models once it knows the session.
func (a *agent) announceLater(s *session) {
	update, err := commandsUpdate(a.brain.offline())
	if err != nil {
		a.log.Error("commands can't be told", "err", err)
		return
	}
	a.out.after(s.id, following{lines: s.line(update), then: func() { a.listModels(s) }})
}

// usual are the options of a new session.
func (a *agent) usual() options {
	o := options{Provider: a.set.provider.ID, Model: a.set.model, Mode: a.set.mode}
	if o.Model == "" {
		o.Model = a.set.provider.Model
	}
	return o
}

// connect begins to connect the MCP servers of a session; those it had before are let go.
func (a *agent) connect(s *session, list []acp.McpServer) {
	a.hideKeys(list)
	s.mu.Lock()
	before := s.mcp
	s.mcp = nil
	s.mu.Unlock()
	before.close()
	if len(list) == 0 || a.brain.offline() {
		return
	}
	ctx, end := context.WithCancel(a.life)
	m := &servers{ready: make(chan struct{}), end: end}
	a.opening.Go(func() {
		m.set = mcptools.Connect(ctx, list, mcptools.Options{Dir: s.folder()})
		close(m.ready)
	})
	s.mu.Lock()
	s.mcp = m
	s.mu.Unlock()
}

func (s *session) folder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cwd
}

// line is the message that carries an update.
func (s *session) line(update []byte) []byte {
	b := make([]byte, 0, len(s.head)+len(update)+3)
	return append(append(append(b, s.head...), update...), '}', '}', '\n')
}

// tell sends an update that is not part of the conversation.
func (a *agent) tell(s *session, update acp.SessionUpdate) error {
	raw, err := json.Marshal(update)
	if err != nil {
		return err
	}
	_, err = a.out.Write(s.line(raw))
	return err
}

// choose changes the options and stores them.
func (s *session) choose(change func(*options)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.opt
	change(&changed)
	if err := s.log.append(record{Options: &changed}); err != nil {
		return internalError(fmt.Sprintf("Couldn't save the option: %v.", err))
	}
	s.opt = changed
	return nil
}

func (s *session) granted(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return what != "" && s.grants[what]
}

func (s *session) close() error {
	s.mu.Lock()
	running, mcp := s.running, s.mcp
	s.mcp = nil
	s.mu.Unlock()
	if running != nil {
		running.stop()
		<-running.done
	}
	mcp.close()
	return s.log.close()
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
	return &acp.RequestError{Code: -32002, Message: fmt.Sprintf("No session %q found.", id)}
}

func (a *agent) closeSession(_ context.Context, p acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	a.mu.Lock()
	s := a.sessions[p.SessionId]
	delete(a.sessions, p.SessionId)
	a.mu.Unlock()
	if s == nil {
		return acp.CloseSessionResponse{}, unknownSession(p.SessionId)
	}
	return acp.CloseSessionResponse{}, s.close()
}

// deleteSession closes a session and removes its file with what was kept beside it.
func (a *agent) deleteSession(_ context.Context, p acp.UnstableDeleteSessionRequest) (acp.UnstableDeleteSessionResponse, error) {
	a.mu.Lock()
	s := a.sessions[p.SessionId]
	delete(a.sessions, p.SessionId)
	a.mu.Unlock()
	if s != nil {
		if err := s.close(); err != nil {
			a.log.Warn("session wasn't closed", "session", s.id, "err", err)
		}
	}
	var none acp.UnstableDeleteSessionResponse
	if err := removeLog(a.set.data, p.SessionId); err != nil {
		return none, internalError(fmt.Sprintf("Couldn't delete the session: %v.", err))
	}
	return none, nil
}
