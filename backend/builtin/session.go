package builtin

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/loop"
	"weft/backend/builtin/tool"
	"weft/backend/llm"
)

// session is one conversation about one folder.
type session struct {
	id      acp.SessionId
	log     *sessionLog
	updates updates
	seen    *tool.Seen

	mu           sync.Mutex // protects what follows, but for conversation.view
	cwd          string
	running      *turn // nil between turns
	turns        int   // prompts so far, also those before a restart
	conversation conversation
	selection    selection
	grants       map[string]bool // what the user allowed for the rest of the session; see tool.Prepared.Grant
	cost         float64         // US dollars so far
	mcp          *servers
}

// conversation is what the model of a session is told. It is protected by session.mu, but for view.
type conversation struct {
	view   loop.View       // used by the turn that is running, and by nothing else
	system string          // made at the first prompt, so that what the model is sent begins the same each time
	again  *llm.ToolCall   // that the next prompt begins with, nil if there is none
	losses map[string]bool // sentences about what could not be sent to it, which were logged
}

// updates sends the updates of one session to the client.
type updates struct {
	head []byte // of a line that carries an update of this session
	out  *outlet
}

func newUpdates(id acp.SessionId, out *outlet) updates {
	name, _ := json.Marshal(string(id)) // a string
	return updates{head: []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":` + string(name) + `,"update":`), out: out}
}

// line returns the message that carries an update.
func (u updates) line(update []byte) []byte {
	b := make([]byte, 0, len(u.head)+len(update)+3)
	return append(append(append(b, u.head...), update...), '}', '}', '\n')
}

// send sends an update that is encoded already.
func (u updates) send(update []byte) error {
	_, err := u.out.Write(u.line(update))
	return err
}

// tell sends an update that is not part of the conversation.
func (u updates) tell(update acp.SessionUpdate) error {
	raw, err := json.Marshal(update)
	if err != nil {
		return err
	}
	return u.send(raw)
}

func makeSession(id acp.SessionId, cwd string, out *outlet) *session {
	return &session{
		id: id, cwd: filepath.Clean(cwd), updates: newUpdates(id, out), seen: &tool.Seen{}, grants: map[string]bool{},
		conversation: conversation{losses: map[string]bool{}},
	}
}

func (s *session) folder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cwd
}

// working reports whether a prompt is being answered.
func (s *session) working() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil
}

func (s *session) servers() *servers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mcp
}

// setServers replaces the MCP servers and returns those before, which the caller has to close.
func (s *session) setServers(m *servers) (before *servers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.mcp = s.mcp, m
	return before
}

// choices returns the options as the protocol shows them.
func (s *session) choices(offline bool) []acp.SessionConfigOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.selection.choices(offline)
}

// choose changes the options and stores them.
func (s *session) choose(change func(*options)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.selection.options
	change(&changed)
	if err := s.log.append(record{Options: &changed}); err != nil {
		return internalError(fmt.Sprintf("Couldn't save the option: %v.", err))
	}
	s.selection.options = changed
	return nil
}

// context returns how many tokens a model of a provider reads.
func (s *session) context(provider, model string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.selection.context(provider, model)
}

// mode is the mode as it is now: the user may change it during a turn.
func (s *session) mode() mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.selection.options.Mode
}

// grant notes what the user allowed for the rest of the session.
func (s *session) grant(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grants[what] = true
}

func (s *session) granted(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return what != "" && s.grants[what]
}

// spend adds US dollars to the cost of the session and returns all of it.
func (s *session) spend(usd float64) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost += usd
	return s.cost
}

// setAgain sets the call that the next prompt begins with.
func (s *session) setAgain(c *llm.ToolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conversation.again = c
}

// takeAgain returns the call that the prompt begins with, nil if there is none.
func (s *session) takeAgain() *llm.ToolCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.conversation.again
	s.conversation.again = nil
	return c
}

// reduced logs what of the session's requests could not be sent as it is, each loss once.
func (s *session) reduced(log *slog.Logger) func(string) {
	return func(sentence string) {
		s.mu.Lock()
		known := s.conversation.losses[sentence]
		s.conversation.losses[sentence] = true
		s.mu.Unlock()
		if !known {
			log.Warn("the request was reduced", "session", s.id, "loss", sentence)
		}
	}
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
