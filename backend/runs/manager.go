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
	"weft/backend/agentnotes"
	"weft/backend/agentproc"
	"weft/backend/agentvisits"
	"weft/backend/elsewhere"
	"weft/backend/fault"
	"weft/backend/follow"
	"weft/backend/gatecalls"
	"weft/backend/mentions"
	"weft/backend/modelproxy"
	"weft/backend/owner"
	"weft/backend/pending"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/sandbox"
	"weft/backend/savedspace"
	"weft/backend/secret"
	"weft/backend/settings"
	"weft/backend/store"
	"weft/backend/team"
	"weft/backend/turn"
)

// Error is a failure that a user can act on.
type Error = fault.Error

var newError = fault.New //nolint:gochecknoglobals // one import for many files

// Options is what the manager needs from outside.
type Options struct {
	Store *store.Store
	// Agent returns the agent's launch configuration; its error is shown to the user.
	Agent func(id string) (agent.Config, error)
	// MCPServers returns the servers that agents are handed; nil: none.
	MCPServers func() []settings.MCPServer
	// Gateway returns where a session reaches Weft's own tools, with a token of its own that is dead after release; ok is false, or it is nil, if nowhere.
	Gateway func(spaceID, memberID, agentID string) (url, token string, release func(), ok bool)
	// ModelProxy is what agents reach their models through that the user has chosen it for; nil: none do.
	ModelProxy *modelproxy.Proxy
	// GateTool returns which of its tools an agent means by the name or the title of a call; nil: none.
	GateTool gatecalls.Lookup
	// Secrets reads what agents and MCP servers are given by reference; nil: nothing can be read.
	Secrets *secret.Store
	// OnAgents is called when something about agents has changed. It must not block.
	OnAgents func()
	// Space returns the space as it is now.
	Space func(ctx context.Context, id string) (team.Space, error)
	// Rules returns the user's rules about permissions as they are now.
	Rules func() *permission.Set
	// MentionLimits returns how far agents may go in asking each other; nil: the defaults hold.
	MentionLimits func() mentions.Limits
	// OnChange is called when the state of a space may have changed. It must not block.
	OnChange func(spaceID string)
	// OnTitle is called with the title that an agent gave to its session. It must not block.
	OnTitle func(spaceID, title string)
	// OnPlace is called with the file that an agent is at, at most once a frame. It must not block.
	OnPlace func(spaceID string, p follow.Place)
	// OnTrouble is called when events cannot be stored (err) and when they can again (nil).
	OnTrouble func(err error)
	// Watch is told what may change files.
	Watch turn.Watch
	// Private are Weft's own folder and files.
	agentproc.Private
	Version string
	Log     zerolog.Logger
	Now     func() time.Time
	Limits  Limits
}

// Limits are how long an agent may take. Zero fields take the defaults.
type Limits struct {
	agentproc.Limits
	Session time.Duration // to open a session, 60 s; some load their plug-ins first
	Reply   time.Duration // to answer another agent that waits for it, 10 min
	Quiet   time.Duration // to give the first sign of life after a prompt, 60 s; then the space is told
}

// Manager holds the sessions of all spaces.
type Manager struct {
	opt Options

	openSpaces
	saved     savedspace.Reader
	tasks     sync.WaitGroup
	processes *agentproc.Pool

	waiting mentions.Waits[*Session] // of agents for each other
	notes   *agentnotes.Notes
	visits  *agentvisits.Visits // of agents, outside of any space
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
	m.tasks.Go(func() { _ = sandbox.CanSeal() }) // so that it needn't be waited for later
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

// Notes returns what Weft remembers of agents.
func (m *Manager) Notes() *agentnotes.Notes { return m.notes }

// Visits returns what launches agents outside of any space.
func (m *Manager) Visits() *agentvisits.Visits { return m.visits }

func (m *Manager) now() int64 { return m.opt.Now().UnixMilli() }

// newID makes an id that no other run, message or request has.
func newID(prefix string) string { return prefix + "_" + rand.Text()[:20] }

// State is what a space is doing.
type State struct {
	Runs    []RunState        // turns in progress, oldest first
	Waiting bool              // for the user
	Waits   []pending.Request // what waits, oldest first, the first of them
	Open    bool              // it has a runtime: a run that began and isn't in Runs has its end stored soon
}

// RunState is a turn in progress.
type RunState struct {
	ID, MessageID, AgentID, MemberID string
	StartedAt                        int64 // unix ms
	stopping                         bool
	// Home is the space that it works in, where it is another one: the run writes here, too. MemberID is as which member.
	Home string

	guest *elsewhere.Guest // where it works in another space
}

// Stopping reports whether the run is being stopped, in whichever space that was asked.
func (r *RunState) Stopping() bool { return r.stopping || r.guest != nil && r.guest.Stopping() }

// RunProgress says how far a turn in progress is.
type RunProgress struct {
	turn.Progress
	Phase turn.Phase
}

// Progress returns how far a turn is; over if it isn't in progress.
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

// State returns what the space is doing. It waits for nothing: it is what the last step in the space has left.
func (m *Manager) State(spaceID string) State {
	if r := m.open(spaceID); r != nil {
		return *r.Snapshot()
	}
	waits := m.spaces.Recalled(spaceID)
	return State{Waiting: len(waits) > 0, Waits: waits}
}

// state is what the space is doing. The lock is held.
func (r *spaceRuntime) state() *State {
	waits := append(slices.Clone(r.kept), r.desks().Waiting()...)
	for _, o := range r.replies.All() {
		waits = append(waits, pending.Reply(o))
	}
	for _, d := range r.displays.All() {
		waits = append(waits, pending.Display(d))
	}
	waits = pending.Oldest(waits)
	st := &State{Waiting: len(waits) > 0, Waits: waits, Open: true}
	for _, s := range r.inOrder() {
		if run := s.run; run != nil {
			st.Runs = append(st.Runs, RunState{ID: run.id, MessageID: run.fold.ID, AgentID: s.space.AgentID, MemberID: s.member.ID, StartedAt: run.turn.Started, stopping: run.turn.Stopping()})
		}
	}
	for _, g := range r.guests.All() {
		st.Runs = append(st.Runs, guest(g))
	}
	slices.SortFunc(st.Runs, func(a, b RunState) int { return cmp.Or(cmp.Compare(a.StartedAt, b.StartedAt), cmp.Compare(a.ID, b.ID)) })
	return st
}

// Drop ends a space's sessions and, where they were the last of them, the agents' processes, for instance because the space goes
// or its agent changes. It blocks until the process trees are gone (seconds at worst).
func (m *Manager) Drop(_ context.Context, spaceID string) error {
	if r := m.spaces.Take(spaceID); r != nil {
		r.close(requests.Stopped)
	}
	return nil
}

// settleGrace is how long a disk that doesn't respond may hold up the end of the app.
const settleGrace = 5 * time.Second

// Close ends all sessions and waits for everything that was started, but not for a disk that doesn't respond. Runs in
// progress end as cancelled.
func (m *Manager) Close(context.Context) error {
	m.processes.Close()
	spaces := m.spaces.Close()
	var wg sync.WaitGroup
	for _, r := range spaces {
		wg.Go(func() { r.close(requests.Shut) })
	}
	wg.Wait()
	if !owner.Settle(&m.tasks, settleGrace) {
		return errors.New("a request of an agent hasn't ended: the disk may not respond")
	}
	return nil
}

// Prompts gives prompts to the members of spaces, and stops their runs.
type Prompts struct{ m *Manager }

// Requests is what the user is asked in all spaces, and answers.
type Requests struct{ m *Manager }

// Tools is what agents do with Weft's own tools, as their calls arrive at the gateway.
type Tools struct{ m *Manager }

// Sessions opens members' sessions with their agents, and changes them.
type Sessions struct{ m *Manager }

// Prompts returns what gives prompts.
func (m *Manager) Prompts() Prompts { return Prompts{m} }

// Requests returns what the user is asked.
func (m *Manager) Requests() Requests { return Requests{m} }

// Tools returns what agents do with Weft's own tools.
func (m *Manager) Tools() Tools { return Tools{m} }

// Sessions returns what opens sessions.
func (m *Manager) Sessions() Sessions { return Sessions{m} }

// Uses gives the spaces in which an agent is running that matches, in no order. What matches is how the process
// was started, also where the settings say something else by now.
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
