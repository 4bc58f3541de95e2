package acpsession

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agent/agentauth"
	"weft/backend/conversation/transcript"
	"weft/backend/space/sessionoptions"
	"weft/backend/space/sessionservers"
	"weft/backend/store/spaces"
)

// Space is the space that a session is opened for. None of its methods waits for the agent. All methods except Step are
// called within a step.
type Space interface {
	// Step runs do with the lock of the space. The caller must not hold it.
	Step(do func())
	// Current reports whether this is still the member's session. A replaced session doesn't change the member's options.
	Current() bool
	// InTurn reports whether the member has a turn in progress.
	InTurn() bool
	// Update folds updates of the agent, in order.
	Update(list []*transcript.Update)
	// Replay begins or ends a replay that is folded into the conversation.
	Replay(begins bool)
	// ResetCost notes that the agent counts the cost of the session from zero.
	ResetCost()
	// PublishOptions shows the session's current options to the user, and whether the agent requires a sign-in.
	PublishOptions(signIn bool)
	// Flush publishes all updates so far.
	Flush()
}

// Store stores the ACP sessions of spaces. Its methods block and are called without the lock of the space.
type Store interface {
	// Last returns the last session of a member with an agent.
	Last(ctx context.Context, spaceID, memberID, agentID string) (spaces.Session, bool, error)
	// ToFork returns the session to copy for a branch.
	ToFork(ctx context.Context, spaceID, memberID, agentID string) (spaces.Session, bool, error)
	// Add stores a session and makes it the last one.
	Add(ctx context.Context, s spaces.Session) error
	// Prompts returns the user's prompts in a space, oldest first, at most limit bytes of each.
	Prompts(ctx context.Context, spaceID string, limit int) ([]string, error)
}

// Agent is the agent process in which the session is opened; see [Opener]. Its methods block and are called without the
// lock of the space.
type Agent interface {
	// About waits for the response to initialize and returns it, or the error.
	About(ctx context.Context) (acp.InitializeResult, error)
	// Initialize sends initialize again, after a sign-in. About then returns the new result.
	Initialize(ctx context.Context)
	Authenticate(ctx context.Context, methodID string) error
	New(ctx context.Context) (acp.SessionResult, error)
	Resume(ctx context.Context, id string) (acp.SessionResult, error)
	Load(ctx context.Context, id string, r *Replay) (acp.SessionResult, error)
	Fork(ctx context.Context, id string) (res acp.SessionResult, ok bool, err error)
	// Choose sets an option. See [acp.Conn.Choose] for the result.
	Choose(ctx context.Context, sessionID string, option acp.Option, value jsontext.Value) (list jsontext.Value, err error)
}

// Options are the dependencies of a [Session].
type Options struct {
	SpaceID, MemberID string
	Config            agent.Config // of the agent
	Folder            string       // of the space
	Space             Space
	Store             Store
	// Offered are the options of the member's sessions, Known its sign-in methods, and Tried its failed attempts to
	// continue a session. They outlive the session and are guarded by the lock of the space.
	Offered *sessionoptions.Options
	Known   *agentauth.Known
	Tried   *Tried
	// SawLogOut notes whether the agent can log out. It may block for the store and is called without the lock.
	SawLogOut func(can bool)
	// Redact hides secrets in a text from the agent.
	Redact func(text string) string
	// Now returns the time in unix ms.
	Now func() int64
	// Servers are the MCP servers for the agent.
	Servers *sessionservers.Given
	Log     zerolog.Logger
}

// Session is an ACP session of a member of a space. Its state is guarded by the lock of the space. The methods that
// open it are called without the lock and take it briefly, through [Space]; only one of them may run at a time.
type Session struct {
	Updates                        // decides which updates belong to the session
	Knowledge                      // what the agent knows of the conversation
	Replay    *Replay              // of the session
	About     acp.InitializeResult // the agent's response to initialize

	// Servers has the state of each MCP server.
	Servers sessionservers.List
	refused []string // names of MCP servers that the agent refused; "" is Weft's own

	greeting greeting
	opt      Options
	agent    Agent
	options  optionSetter
}

// New returns a session that is not open.
func New(opt Options) *Session {
	return &Session{Replay: NewReplay(), opt: opt, options: optionSetter{agentID: opt.Config.ID, space: opt.Space, offered: opt.Offered, log: opt.Log}}
}

// Join sets the process in which to open the session. It must be called before any method that opens the session.
func (s *Session) Join(a Agent) { s.agent, s.options.agent = a, a }

// Identify sets the id of the session and folds its early updates. The lock is held.
func (s *Session) Identify(id string) { s.opt.Space.Update(s.SetID(id)) }

// created applies the result of creating or copying the session. The lock is held.
func (s *Session) created(res acp.SessionResult) {
	s.greeting.start(res.Raw)
	s.Identify(res.SessionID)
	s.opened(res)
}

// CanEnd reports whether the session can be ended without loss: it is unused, or the agent can continue it later. The
// lock is held.
func (s *Session) CanEnd() bool {
	return s.unused || s.About.Capabilities.ResumeSession || s.About.Capabilities.LoadSession
}

// StoreUnused stores the session if it is unused, before its first prompt. It blocks; the lock isn't held.
func (s *Session) StoreUnused(ctx context.Context) error {
	var unused bool
	var id string
	s.opt.Space.Step(func() { unused, id = s.unused, s.ID() })
	if !unused {
		return nil
	}
	return s.store(ctx, id)
}

// store stores a session as the member's last one.
func (s *Session) store(ctx context.Context, id string) error {
	return s.opt.Store.Add(ctx, spaces.Session{SpaceID: s.opt.SpaceID, MemberID: s.opt.MemberID, AgentID: s.opt.Config.ID, SessionID: id, Cwd: s.opt.Folder, CreatedAt: s.opt.Now()})
}

// initialize waits for the response to initialize and applies it.
func (s *Session) initialize(ctx context.Context) error {
	about, err := s.agent.About(ctx)
	s.opt.Space.Step(func() {
		s.About = about
		if err == nil {
			s.opt.Known.Offered(about.AuthMethods)
		}
	})
	if err != nil {
		s.CheckSignIn(err)
		return err
	}
	s.opt.SawLogOut(about.Capabilities.Logout)
	return nil
}

// ServersToSend returns the MCP servers to send to the agent when it opens a session, and records the state of each in
// Servers. It may block for the keychain; the lock isn't held.
func (s *Session) ServersToSend() []sdk.McpServer {
	list, handed := s.opt.Servers.Give(s.About.Capabilities)
	for _, h := range handed {
		if !h.Handed {
			s.opt.Log.Warn().Str("agent", s.opt.Config.ID).Str("server", h.Name).Str("why", h.Why).Msg("an MCP server was not sent to the agent")
		}
	}
	s.opt.Space.Step(func() {
		s.Servers.Set(handed)
		s.refused = nil
	})
	return list
}

// MarkServersRefused notes that the agent refused all MCP servers. The lock isn't held.
func (s *Session) MarkServersRefused() {
	own := s.opt.Servers.Revoke()
	s.opt.Space.Step(func() {
		if s.refused = s.Servers.Refuse(); own {
			s.refused = append([]string{""}, s.refused...)
		}
	})
}

// RefusedServers returns the names of the MCP servers that the agent refused; "" is Weft's own. The lock is held.
func (s *Session) RefusedServers() []string { return s.refused }

// End revokes the agent's access to Weft's MCP server. It may be called at any time.
func (s *Session) End() { s.opt.Servers.Revoke() }

// opened applies the options and modes in the result of opening the session. The lock is held.
func (s *Session) opened(res acp.SessionResult) {
	s.opt.Offered.Opened(res)
	var list []*transcript.Update
	for key, value := range map[transcript.StateKey]jsontext.Value{transcript.StateMode: res.Modes, transcript.StateConfig: res.ConfigOptions} {
		if value != nil {
			list = append(list, &transcript.Update{Kind: transcript.UpdateState, Key: key, Value: value})
		}
	}
	s.opt.Space.Update(list)
}
