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

// session is one conversation in one folder.
type session struct {
	id      acp.SessionId
	log     *sessionLog
	updates updates
	seen    *tool.Seen

	mu           sync.Mutex // protects the fields below, except conversation.view
	cwd          string
	running      *turn // nil between turns
	turns        int   // prompts so far, including those before a restart
	conversation conversation
	selection    selection
	grants       map[string]bool // what the user allowed for the rest of the session; see tool.Prepared.Grant
	cost         float64         // US dollars so far
	mcp          *servers
}

// conversation is what a session sends to its model. session.mu protects it, except view.
type conversation struct {
	view   loop.View       // used only by the running turn
	system string          // made at the first prompt, so that all requests begin the same
	again  *llm.ToolCall   // the retried call that begins the next prompt, or nil
	losses map[string]bool // sentences about reduced requests that were logged
}

// updates sends the updates of one session to the client.
type updates struct {
	head []byte // the beginning of each line with an update
	out  *outlet
}

func newUpdates(id acp.SessionId, out *outlet) updates {
	name, _ := json.Marshal(string(id)) // a string
	return updates{head: []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":` + string(name) + `,"update":`), out: out}
}

// line returns the message with an update.
func (u updates) line(update []byte) []byte {
	b := make([]byte, 0, len(u.head)+len(update)+3)
	return append(append(append(b, u.head...), update...), '}', '}', '\n')
}

// send sends an encoded update.
func (u updates) send(update []byte) error {
	_, err := u.out.Write(u.line(update))
	return err
}

// tell sends an update that isn't stored in the conversation.
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

// setServers replaces the MCP servers and returns the previous ones, which the caller must close.
func (s *session) setServers(m *servers) (before *servers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.mcp = s.mcp, m
	return before
}

// choices returns the options in the protocol's format.
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

// context returns the size of a model's context in tokens.
func (s *session) context(provider, model string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.selection.context(provider, model)
}

// mode returns the current mode. The user may change it during a turn.
func (s *session) mode() mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.selection.options.Mode
}

// grant records what the user allowed for the rest of the session.
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

// spend adds US dollars to the cost of the session and returns the total.
func (s *session) spend(usd float64) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost += usd
	return s.cost
}

// setAgain sets the retried call that begins the next prompt.
func (s *session) setAgain(c *llm.ToolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conversation.again = c
}

// takeAgain returns and clears the retried call, or nil.
func (s *session) takeAgain() *llm.ToolCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.conversation.again
	s.conversation.again = nil
	return c
}

// reduced returns a function that logs what couldn't be sent to the model unchanged, each loss once.
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
