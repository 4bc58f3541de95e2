package acpsession

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agentauth"
	"weft/backend/sessionoptions"
	"weft/backend/sessionservers"
	"weft/backend/store/spaces"
	"weft/backend/transcript"
)

// Space is the space that a session is opened for. None of its methods waits for the agent.
type Space interface {
	// Step makes a step of do: it takes the lock of the space for as long as do runs. The lock isn't held. The other methods are called
	// within a step.
	Step(do func())
	// Current reports whether the session is still the one of its member. One that was given up changes nothing of what the member is offered.
	Current() bool
	// InTurn reports whether the member has a turn in progress.
	InTurn() bool
	// Update folds updates of the agent, in order.
	Update(list []*transcript.Update)
	// Replay begins or ends a replay that is folded into the conversation.
	Replay(begins bool)
	// FromZero notes that the cost of the session is counted from zero.
	FromZero()
	// Offers tells the user what the session offers now, and whether the agent wants a sign-in.
	Offers(signIn bool)
	// Flush shows what has come so far.
	Flush()
}

// Store knows which ACP sessions there are for a space. Its methods block, and are called without the lock of the space.
type Store interface {
	// Last returns the last session of a member with an agent.
	Last(ctx context.Context, spaceID, memberID, agentID string) (spaces.Session, bool, error)
	// ToFork returns the session that a copy for a branch is made of.
	ToFork(ctx context.Context, spaceID, memberID, agentID string) (spaces.Session, bool, error)
	// Add stores a session, which is the last one from then on.
	Add(ctx context.Context, s spaces.Session) error
	// Prompts returns the beginnings of the prompts of a space, the oldest first.
	Prompts(ctx context.Context, spaceID string, limit int) ([]string, error)
}

// Agent is the process of an agent, in which the session is opened. [Opener] is one. Its methods block, and are called without the lock of the space.
type Agent interface {
	// About waits until the agent has answered initialize, and returns what it can do, or why that isn't known.
	About(ctx context.Context) (acp.InitializeResult, error)
	// Initialize initializes the agent once more, after a sign-in. About has the result.
	Initialize(ctx context.Context)
	Authenticate(ctx context.Context, methodID string) error
	New(ctx context.Context) (acp.SessionResult, error)
	Resume(ctx context.Context, id string) (acp.SessionResult, error)
	Load(ctx context.Context, id string, r *Replay) (acp.SessionResult, error)
	Fork(ctx context.Context, id string) (res acp.SessionResult, ok bool, err error)
	// Choose sets an option, and returns all of them if the agent says so.
	Choose(ctx context.Context, sessionID string, option acp.Option, value jsontext.Value) (list jsontext.Value, err error)
}

// Options are what a session needs to know to be opened.
type Options struct {
	SpaceID, MemberID string
	Config            agent.Config // of the agent
	Folder            string       // of the space
	Space             Space
	Store             Store
	// Offered are the options of the member's sessions, Known its ways to sign in. Both outlive the session, and belong to whoever has the lock of the space.
	Offered *sessionoptions.Options
	Known   *agentauth.Known
	Tried   *Tried // which session the agent could not continue; it outlives this one, too
	// SawLogOut notes whether the agent can log out. It may block for the store, and is called without the lock.
	SawLogOut func(can bool)
	// Redact hides secrets in a text of the agent.
	Redact func(text string) string
	// Now returns the time in unix ms.
	Now func() int64
	// Servers are the MCP servers that the agent is given.
	Servers *sessionservers.Given
	Log     zerolog.Logger
}

// Session is an ACP session that is opened for a member of a space. Its state belongs to whoever has the lock of the space. The methods that open it run
// without the lock and take it for moments, through [Space]; only one of them may run at a time.
type Session struct {
	Updates                        // which of the agent's belong to it
	Knowledge                      // what the agent knows of the conversation
	Replay    *Replay              // of the session
	About     acp.InitializeResult // what the agent has said of itself

	// Servers is what became of the MCP servers.
	Servers sessionservers.List
	refused []string // of these, by the agent; "" is Weft's own

	greeting greeting
	opt      Options
	agent    Agent
	options  optionSetter
}

// New returns a session that is not open.
func New(opt Options) *Session {
	return &Session{Replay: NewReplay(), opt: opt, options: optionSetter{agentID: opt.Config.ID, space: opt.Space, offered: opt.Offered, log: opt.Log}}
}

// Join says in which process the session is opened. It is called before any method that opens the session.
func (s *Session) Join(a Agent) { s.agent, s.options.agent = a, a }

// Is says which session it is; updates of it that came early are folded now. The lock is held.
func (s *Session) Is(id string) { s.opt.Space.Update(s.Known(id)) }

// made takes over what the agent said of a session that it has made. The lock is held.
func (s *Session) made(res acp.SessionResult) {
	s.greeting.opens(res.Raw)
	s.Is(res.SessionID)
	s.opened(res)
}

// CanEnd reports whether the session can be ended without loss: nothing was said in it, or the agent can continue it later. The lock is held.
func (s *Session) CanEnd() bool {
	return s.unsaid || s.About.Capabilities.ResumeSession || s.About.Capabilities.LoadSession
}

// Keep stores a session in which nothing was said yet, because something is about to be. It blocks; the lock isn't held.
func (s *Session) Keep(ctx context.Context) error {
	var unsaid bool
	var id string
	s.opt.Space.Step(func() { unsaid, id = s.unsaid, s.ID() })
	if !unsaid {
		return nil
	}
	return s.store(ctx, id)
}

// store stores a session as the last one of the member.
func (s *Session) store(ctx context.Context, id string) error {
	return s.opt.Store.Add(ctx, spaces.Session{SpaceID: s.opt.SpaceID, MemberID: s.opt.MemberID, AgentID: s.opt.Config.ID, SessionID: id, Cwd: s.opt.Folder, CreatedAt: s.opt.Now()})
}

// initialize waits until the agent has told what it can do.
func (s *Session) initialize(ctx context.Context) error {
	about, err := s.agent.About(ctx)
	s.opt.Space.Step(func() {
		s.About = about
		if err == nil {
			s.opt.Known.Offered(about.AuthMethods)
		}
	})
	if err != nil {
		s.WantsSignIn(err)
		return err
	}
	s.opt.SawLogOut(about.Capabilities.Logout)
	return nil
}

// Give returns the MCP servers that the agent is given in a new or continued session, and keeps what became of each. It blocks for the keychain at worst;
// the lock isn't held.
func (s *Session) Give() []sdk.McpServer {
	list, handed := s.opt.Servers.Give(s.About.Capabilities)
	for _, h := range handed {
		if !h.Handed {
			s.opt.Log.Warn().Str("agent", s.opt.Config.ID).Str("server", h.Name).Str("why", h.Why).Msg("an MCP server was not handed to the agent")
		}
	}
	s.opt.Space.Step(func() {
		s.Servers.Set(handed)
		s.refused = nil
	})
	return list
}

// Without notes that the agent has refused all MCP servers. The lock isn't held.
func (s *Session) Without() {
	own := s.opt.Servers.Revoke()
	s.opt.Space.Step(func() {
		if s.refused = s.Servers.Refuse(); own {
			s.refused = append([]string{""}, s.refused...)
		}
	})
}

// RefusedServers returns the names of the MCP servers that the agent has refused; "" is Weft's own. The lock is held.
func (s *Session) RefusedServers() []string { return s.refused }

// End takes from the agent what it was given for the session. It may be called at any time.
func (s *Session) End() { s.opt.Servers.Revoke() }

// opened takes over what the agent said of the session that it has opened. The lock is held.
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
