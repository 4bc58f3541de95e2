package runs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/sandbox"
	"weft/backend/base/fault"
	"weft/backend/conversation/follow"
	"weft/backend/llm/modelproxy"
	"weft/backend/permission"
	"weft/backend/settings"
	"weft/backend/settings/secret"
	"weft/backend/space/agentnotes"
	"weft/backend/space/agentvisits"
	"weft/backend/space/elsewhere"
	"weft/backend/space/gatecalls"
	"weft/backend/space/mentions"
	"weft/backend/space/owner"
	"weft/backend/space/requests"
	"weft/backend/space/savedspace"
	"weft/backend/space/team"
	"weft/backend/space/turn"
	"weft/backend/store"
)

// Error is a failure that a user can act on.
type Error = fault.Error

var newError = fault.New //nolint:gochecknoglobals // one import for many files

// Options are the dependencies of a [Manager].
type Options struct {
	Store *store.Store
	// Agent returns the agent's launch configuration; its error is shown to the user.
	Agent func(id string) (agent.Config, error)
	// MCPServers returns the MCP servers to send to agents. It may be nil.
	MCPServers func() []settings.MCPServer
	// Gateway returns the URL of Weft's own MCP server and a new token for a session; release revokes the token. ok is
	// false if there is no gateway. It may be nil.
	Gateway func(spaceID, memberID, agentID string) (url, token string, release func(), ok bool)
	// ModelProxy is the proxy to their models for agents that the user has enabled it for. It may be nil.
	ModelProxy *modelproxy.Proxy
	// GateTool returns the gateway tool for the name or title of an agent's call. It may be nil.
	GateTool gatecalls.Lookup
	// Secrets resolves secret references of agents and MCP servers. It may be nil.
	Secrets *secret.Store
	// OnAgents is called when something about agents has changed. It must not block.
	OnAgents func()
	// Space returns the current state of a space.
	Space func(ctx context.Context, id string) (team.Space, error)
	// Rules returns the user's current permission rules.
	Rules func() *permission.Set
	// MentionLimits returns the limits for agents that ask each other; nil means the defaults.
	MentionLimits func() mentions.Limits
	// OnChange is called when the state of a space may have changed. It must not block.
	OnChange func(spaceID string)
	// OnTitle is called with the title that an agent gave to its session. It must not block.
	OnTitle func(spaceID, title string)
	// OnPlace is called with an agent's current file, at most once per frame. It must not block.
	OnPlace func(spaceID string, p follow.Place)
	// OnTrouble is called with an error when events can't be stored, and with nil when they can again.
	OnTrouble func(err error)
	// Watch is notified of everything that may change files.
	Watch turn.Watch
	// Private are Weft's data folder and files.
	agentproc.Private
	Version string
	Log     zerolog.Logger
	Now     func() time.Time
	Limits  Limits
}

// Limits are time limits for agents. Zero fields mean the defaults.
type Limits struct {
	agentproc.Limits
	Session time.Duration // to open a session; default 60 s, because some agents load their plug-ins first
	Reply   time.Duration // to reply to another agent that waits; default 10 min
	Quiet   time.Duration // to send the first message after a prompt, before the space shows a note; default 60 s
}

// Manager manages the sessions of all spaces.
type Manager struct {
	opt Options

	openSpaces
	saved     savedspace.Reader
	tasks     sync.WaitGroup
	processes *agentproc.Pool

	waiting mentions.Waits[*Session] // agents that wait for each other
	notes   *agentnotes.Notes
	visits  *agentvisits.Visits // launches agents outside of spaces
}

// NewManager returns a manager without sessions.
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
	if opt.MentionLimits == nil {
		opt.MentionLimits = func() mentions.Limits { return mentions.Limits{} }
	}
	if opt.OnAgents == nil {
		opt.OnAgents = func() {}
	}
	opt.Watch.Fill()
	opt.Limits.Fill()
	opt.Limits.Session = cmp.Or(opt.Limits.Session, time.Minute)
	opt.Limits.Reply = cmp.Or(opt.Limits.Reply, 10*time.Minute)
	opt.Limits.Quiet = cmp.Or(opt.Limits.Quiet, time.Minute)
	m := &Manager{opt: opt}
	m.tasks.Go(func() { _ = sandbox.CanSeal() }) // cache the result, which takes a while
	m.processes = agentproc.NewPool(agentproc.Options{
		Private: opt.Private, Version: opt.Version, Capabilities: clientCapabilities, Secrets: opt.Secrets, ModelProxy: opt.ModelProxy, Log: opt.Log, Now: opt.Now, Go: m.tasks.Go,
		Limits: opt.Limits.Limits,
	})
	notes := agentnotes.Options{Go: m.tasks.Go, Changed: opt.OnAgents, Log: opt.Log}
	if opt.Store != nil { // a simulation has none
		notes.Meta = opt.Store.Meta
	}
	m.notes = agentnotes.New(notes)
	m.saved = savedspace.New(opt.Store, m.notes, opt.Log)
	m.visits = agentvisits.New(agentvisits.Options{
		Processes: m.processes, SawLogOut: m.notes.SawLogOut, Hide: func(s string) string { return m.redactor().Text(s) }, Limit: opt.Limits.Session,
	})
	return m
}

// Notes returns the notes about agents.
func (m *Manager) Notes() *agentnotes.Notes { return m.notes }

// Visits returns the launcher of agents outside of spaces.
func (m *Manager) Visits() *agentvisits.Visits { return m.visits }

func (m *Manager) now() int64 { return m.opt.Now().UnixMilli() }

// newID returns a unique id for a run, message or request.
func newID(prefix string) string { return prefix + "_" + rand.Text()[:20] }

// State is the current activity of a space.
type State struct {
	Runs    []RunState      // turns in progress, oldest first
	Waiting bool            // something waits for the user
	Waits   []requests.Wait // the oldest pending requests, oldest first
	Open    bool            // the space has a runtime; the end of a run that isn't in Runs is about to be stored
}

// RunState is the state of a turn in progress.
type RunState struct {
	ID, MessageID, AgentID, MemberID string
	StartedAt                        int64 // unix ms
	stopping                         bool
	// Home is the run's own space if that is another one, from which it writes here as MemberID; otherwise "".
	Home string

	guest *elsewhere.Guest // set if Home is
}

// Stopping reports whether the run is being stopped.
func (r *RunState) Stopping() bool { return r.stopping || r.guest != nil && r.guest.Stopping() }

// RunProgress is the progress of a turn.
type RunProgress struct {
	turn.Progress
	Phase turn.Phase
}

// Progress returns the progress of a run. The phase is turn.Over if it isn't in progress.
func (m *Manager) Progress(runID string) RunProgress {
	for _, s := range m.all() {
		s.Lock()
		r := s.run
		if r != nil && r.id == runID {
			p := RunProgress{r.turn.Progress, r.turn.Phase()}
			s.Unlock()
			return p
		}
		s.Unlock()
	}
	return RunProgress{Phase: turn.Over}
}

// State returns the activity of a space after its last completed step. It does not block.
func (m *Manager) State(spaceID string) State {
	if r := m.open(spaceID); r != nil {
		return *r.Snapshot()
	}
	waits := m.spaces.Recalled(spaceID)
	return State{Waiting: len(waits) > 0, Waits: waits}
}

// state returns the activity of the space. The lock is held.
func (r *spaceRuntime) state() *State {
	waits := append(slices.Clone(r.kept), r.inboxes().Waiting()...)
	for _, o := range r.replies.All() {
		waits = append(waits, requests.ReplyWait(o))
	}
	for _, d := range r.displays.All() {
		waits = append(waits, requests.DisplayWait(d))
	}
	waits = requests.OldestWaits(waits)
	st := &State{Waiting: len(waits) > 0, Waits: waits, Open: true}
	for _, s := range r.inOrder() {
		if run := s.run; run != nil {
			st.Runs = append(st.Runs, RunState{ID: run.id, MessageID: run.fold.ID, AgentID: s.space.AgentID, MemberID: s.member().ID, StartedAt: run.turn.Started, stopping: run.turn.Stopping()})
		}
	}
	for _, g := range r.guests.All() {
		st.Runs = append(st.Runs, guest(g))
	}
	slices.SortFunc(st.Runs, func(a, b RunState) int { return cmp.Or(cmp.Compare(a.StartedAt, b.StartedAt), cmp.Compare(a.ID, b.ID)) })
	return st
}

// Drop ends a space's sessions, and processes without other sessions, for instance because the space is deleted or its
// agent changes. It blocks until the process trees have exited, at most some seconds.
func (m *Manager) Drop(_ context.Context, spaceID string) error {
	if r := m.spaces.Take(spaceID); r != nil {
		r.close(requests.Stopped)
	}
	return nil
}

// settleGrace is how long Close waits for a disk that doesn't respond.
const settleGrace = 5 * time.Second

// Close ends all sessions and waits for everything that was started, but at most settleGrace for a disk that doesn't
// respond. Runs in progress end as cancelled.
func (m *Manager) Close(context.Context) error {
	m.processes.Close()
	spaces := m.spaces.Close()
	var wg sync.WaitGroup
	for _, r := range spaces {
		wg.Go(func() { r.close(requests.Shut) })
	}
	wg.Wait()
	if !owner.Settle(&m.tasks, settleGrace) {
		return errors.New("a request from an agent hasn't ended: the disk may not respond")
	}
	return nil
}

// Prompts sends prompts to members of spaces and stops their runs.
type Prompts struct{ m *Manager }

// Requests answers the pending requests of all spaces for the user.
type Requests struct{ m *Manager }

// Tools executes agents' calls of Weft's own tools when they arrive at the gateway.
type Tools struct{ m *Manager }

// Sessions opens and configures members' sessions with their agents.
type Sessions struct{ m *Manager }

// Prompts returns the methods for prompts.
func (m *Manager) Prompts() Prompts { return Prompts{m} }

// Requests returns the methods for pending requests.
func (m *Manager) Requests() Requests { return Requests{m} }

// Tools returns the methods for Weft's own tools.
func (m *Manager) Tools() Tools { return Tools{m} }

// Sessions returns the methods for sessions.
func (m *Manager) Sessions() Sessions { return Sessions{m} }

// Uses returns the spaces with a running agent that matches, in no order. match gets the configuration with which the
// agent was started, which the settings may have changed since.
func (m *Manager) Uses(match func(agent.Config) bool) []string {
	var list []string
	for _, s := range m.all() {
		s.Lock()
		if l := s.life.Live(); l != nil && match(l.config) && !slices.Contains(list, s.space.ID) {
			list = append(list, s.space.ID)
		}
		s.Unlock()
	}
	return list
}
