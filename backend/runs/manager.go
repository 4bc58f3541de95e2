package runs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/permission"
	"weft/backend/secret"
	"weft/backend/settings"
	"weft/backend/store"
	"weft/backend/transcript"
)

// Error is a refusal that a person can act on.
type Error struct {
	Code    string // not_found, busy, not_waiting, empty …
	Message string
	Detail  string // for programs
	Err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// Space is what a session needs to know of its space.
type Space struct {
	ID      string
	Folder  string
	AgentID string
	Mode    permission.Mode
}

// Options is what the room needs from outside.
type Options struct {
	Store *store.Store
	// Agent answers the agent's launch configuration; its error is shown to the person.
	Agent func(id string) (agent.Config, error)
	// MCPServers answers the servers that agents are handed; nil: none.
	MCPServers func() []settings.MCPServer
	// Gateway answers where a session reaches Weft's own tools, with a token of its own that is dead after release; ok is false, or it is nil, if nowhere.
	Gateway func(spaceID, agentID string) (url, token string, release func(), ok bool)
	// Secrets reads what agents and MCP servers are given by reference; nil: nothing can be read.
	Secrets *secret.Store
	// OnAgents is called when something about agents has changed. It must not block.
	OnAgents func()
	// Space answers the space as it is now.
	Space func(ctx context.Context, id string) (Space, error)
	// Rules answers the person's rules about permissions as they are now.
	Rules func() *permission.Set
	// OnChange is called when the state of a space may have changed. It must not block.
	OnChange func(spaceID string)
	// OnTitle is called with the title that an agent gave to its session. It must not block.
	OnTitle func(spaceID, title string)
	// OnPlace is called with the file that an agent is at, at most once a frame. It must not block.
	OnPlace func(spaceID string, p Place)
	// OnTrouble is called when events cannot be stored (err) and when they can again (nil).
	OnTrouble func(err error)
	// Watch is told what may change files.
	Watch   Watch
	DataDir string
	Version string
	Log     zerolog.Logger
	Now     func() time.Time
	Limits  Limits
}

// Limits are how long an agent may take. Zero fields take the defaults.
type Limits struct {
	Initialize time.Duration // to answer initialize, 15 s
	Download   time.Duration // the same where its command may have to download it first (npx …), 3 min
	Session    time.Duration // to open a session, 60 s; some load their plug-ins first
	Stop       time.Duration // to end a turn that was cancelled, 10 s
	Write      time.Duration // to take 64 KiB of its input, 10 s
	Others     time.Duration // to end the turns of other spaces in a process that has to be ended, 20 s
	Share      time.Duration // to open a session in a process that has others, 20 s; then it gets a process of its own
}

// Manager holds the sessions of all spaces.
type Manager struct {
	opt Options

	mu       sync.Mutex
	sessions map[string]*Session
	modes    map[string]permission.Mode // of spaces, as they were set since the start
	closed   bool
	tasks    sync.WaitGroup
	hosts    hosts

	choosing sync.Mutex // held over a read-change-write of an agent's choices
	signIns  signIns
}

// NewManager makes a manager without sessions.
func NewManager(opt Options) *Manager {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Rules == nil {
		opt.Rules = func() *permission.Set { return nil }
	}
	if opt.MCPServers == nil {
		opt.MCPServers = func() []settings.MCPServer { return nil }
	}
	if opt.OnAgents == nil {
		opt.OnAgents = func() {}
	}
	opt.Watch.fill()
	opt.Limits.Initialize = cmp.Or(opt.Limits.Initialize, 15*time.Second)
	opt.Limits.Download = cmp.Or(opt.Limits.Download, 3*time.Minute)
	opt.Limits.Session = cmp.Or(opt.Limits.Session, time.Minute)
	opt.Limits.Stop = cmp.Or(opt.Limits.Stop, 10*time.Second)
	opt.Limits.Write = cmp.Or(opt.Limits.Write, 10*time.Second)
	opt.Limits.Others = cmp.Or(opt.Limits.Others, 20*time.Second)
	opt.Limits.Share = cmp.Or(opt.Limits.Share, 20*time.Second)
	return &Manager{
		opt: opt, sessions: map[string]*Session{}, modes: map[string]permission.Mode{},
		hosts: hosts{byKey: map[string]*host{}, alone: map[string]bool{}},
	}
}

func (m *Manager) now() int64 { return m.opt.Now().UnixMilli() }

// newID makes an id that no other run, message or request has.
func newID(prefix string) string { return prefix + "_" + rand.Text()[:20] }

// session answers the session of a space, making it if need be.
func (m *Manager) session(ctx context.Context, spaceID string) (*Session, error) {
	m.mu.Lock()
	s := m.sessions[spaceID]
	closed := m.closed
	m.mu.Unlock()
	if s != nil {
		return s, nil
	}
	if closed {
		return nil, &Error{Code: "closing", Message: "Weft is closing."}
	}
	space, err := m.opt.Space(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	snap, err := m.opt.Store.Snapshot(ctx, spaceID, 1) // for the space's state
	if err != nil {
		return nil, err
	}
	queue, err := m.storedQueue(ctx, spaceID, snap)
	if err != nil {
		return nil, err
	}
	offered, chosen, err := m.storedOffer(ctx, space, snap)
	if err != nil {
		return nil, err
	}
	usage, err := m.stored(ctx, snap, transcript.StateUsage)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[spaceID]; s != nil {
		return s, nil
	}
	if mode, ok := m.modes[spaceID]; ok {
		space.Mode = mode // set after the space was read
	}
	s = newSession(m, space, queue, chosen)
	s.cost, s.offered = costOf(usage), offered
	m.sessions[spaceID] = s
	return s, nil
}

// closing reports whether the app ends.
func (m *Manager) closing() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// known answers the session of a space if there is one.
func (m *Manager) known(spaceID string) *Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sessions[spaceID]
}

// State is what a session is doing.
type State struct {
	Run     *RunState // nil if no turn is in progress
	Waiting bool      // for the person
	Waits   []Wait    // what waits, oldest first, the first of them
}

// RunState is a turn in progress.
type RunState struct {
	ID, MessageID, AgentID string
	StartedAt              int64 // unix ms
	Stopping               bool
}

// State answers what the space is doing. It does not block on the agent.
func (m *Manager) State(spaceID string) State {
	s := m.known(spaceID)
	if s == nil {
		return State{}
	}
	return s.state()
}

// Drop ends a space's session and, if it was the last of it, the agent's process, for instance because the space goes
// or its agent changes. It blocks until the process tree is gone (seconds at worst).
func (m *Manager) Drop(ctx context.Context, spaceID string) error {
	m.mu.Lock()
	s := m.sessions[spaceID]
	delete(m.sessions, spaceID)
	m.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.close(ctx, stopped)
}

// Close ends all sessions and waits for everything that was started. Runs in progress
// end as cancelled.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	sessions := make([]*Session, 0, len(m.sessions))
	for _, s := range m.sessions {
		sessions = append(sessions, s)
	}
	m.sessions = map[string]*Session{}
	m.mu.Unlock()
	m.endSignIns()
	errs := make([]error, len(sessions))
	var wg sync.WaitGroup
	for i, s := range sessions {
		wg.Go(func() { errs[i] = s.close(ctx, shut) })
	}
	wg.Wait()
	m.tasks.Wait()
	return errors.Join(errs...)
}

func author(c agent.Config) transcript.Author {
	return transcript.Author{Kind: "agent", ID: c.ID, Name: c.Name}
}
