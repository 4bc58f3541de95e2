package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/backend/base/scan"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// InitializeParams describe the client.
type InitializeParams struct {
	// Capabilities is encoded as clientCapabilities: an sdk.ClientCapabilities or
	// another type with more fields. Nil means none.
	Capabilities         any
	Name, Title, Version string
}

// InitializeResult describes the agent. Malformed fields are zero; Raw has the whole result.
type InitializeResult struct {
	ProtocolVersion int
	Name            string // agentInfo
	Title           string
	Version         string
	Capabilities    AgentCapabilities
	AuthMethods     []AuthMethod
	Raw             jsontext.Value
}

// AgentCapabilities are the agent's capabilities that Weft uses.
type AgentCapabilities struct {
	LoadSession     bool
	ResumeSession   bool
	ListSessions    bool
	CloseSession    bool
	ForkSession     bool
	DeleteSession   bool
	Image           bool // in prompts
	Audio           bool
	EmbeddedContext bool
	MCPHTTP         bool
	MCPSSE          bool
	Logout          bool
	Providers       bool // its model providers can be configured, see [Conn.Providers]
}

// AuthMethod is a sign-in method of the agent.
type AuthMethod struct {
	ID, Name, Description string
	Type                  string // "" and "agent": authenticate; "terminal", "env_var": see Raw
	Raw                   jsontext.Value
}

// Initialize starts the protocol (ACP Initialization) and negotiates its version. It fails with [ErrProtocolVersion]
// if Weft doesn't support the version in the response, and still returns the result.
func (c *Conn) Initialize(ctx context.Context, p InitializeParams) (InitializeResult, error) {
	raw, err := c.call(ctx, "initialize", "", asked.initialize(p))
	if e := (*RPCError)(nil); errors.As(err, &e) && e.Code == CodeMethodNotFound {
		return InitializeResult{}, fmt.Errorf("%w: %w", ErrNotAgent, err)
	}
	if err != nil {
		return InitializeResult{}, err
	}
	number, _ := scan.Integer(scan.Member(raw, "protocolVersion"))
	v := versions[number]
	if v == nil {
		return asked.initialized(raw), fmt.Errorf("%w: the agent uses version %s, Weft uses version %d. Update the agent or Weft",
			ErrProtocolVersion, versionText(raw), asked.number)
	}
	c.speaks.Store(v)
	result := v.initialized(raw)
	c.offers.Store(len(result.AuthMethods) > 0)
	return result, nil
}

func versionText(raw jsontext.Value) string {
	if v := scan.Member(raw, "protocolVersion"); !scan.Null(v) {
		return string(v)
	}
	return "none"
}

// ReadAuthMethods reads the member authMethods of an object, such as the data of an error.
func ReadAuthMethods(of jsontext.Value) []AuthMethod {
	return readAuthMethods(scan.Member(of, "authMethods"))
}

func readAuthMethods(v []byte) []AuthMethod {
	var list []AuthMethod
	for _, m := range scan.Elements(v) {
		if id, ok := scan.Label(scan.Member(m, "id")); ok {
			a := AuthMethod{ID: id, Raw: scan.Clone(m)}
			a.Name, _ = scan.Text(scan.Member(m, "name"))
			a.Description, _ = scan.Text(scan.Member(m, "description"))
			a.Type, _ = scan.Text(scan.Member(m, "type"))
			list = append(list, a)
		}
	}
	return list
}

func readCapabilities(v []byte) AgentCapabilities {
	sessions := scan.Member(v, "sessionCapabilities")
	prompt := scan.Member(v, "promptCapabilities")
	mcp := scan.Member(v, "mcpCapabilities")
	return AgentCapabilities{
		LoadSession:     has(v, "loadSession"),
		ResumeSession:   has(sessions, "resume"),
		ListSessions:    has(sessions, "list"),
		CloseSession:    has(sessions, "close"),
		ForkSession:     has(sessions, "fork"),
		DeleteSession:   has(sessions, "delete"),
		Image:           has(prompt, "image"),
		Audio:           has(prompt, "audio"),
		EmbeddedContext: has(prompt, "embeddedContext"),
		MCPHTTP:         has(mcp, "http"),
		MCPSSE:          has(mcp, "sse"),
		Logout:          has(scan.Member(v, "auth"), "logout"),
		Providers:       has(v, "providers"),
	}
}

// has reports whether a capability is set: to true or to an object.
func has(v []byte, name string) bool {
	f := scan.Member(v, name)
	return len(f) > 0 && (f[0] == 't' || f[0] == '{')
}

// Authenticate signs in with one of the agent's methods (ACP Authentication). It blocks
// until the user has signed in.
func (c *Conn) Authenticate(ctx context.Context, methodID string) error {
	_, err := c.call(ctx, "authenticate", "", map[string]string{"methodId": methodID})
	return err
}

// SessionResult describes a session that the agent created or opened.
type SessionResult struct {
	SessionID     string
	Modes         jsontext.Value // as sent, nil if absent
	Models        jsontext.Value
	ConfigOptions jsontext.Value
	Raw           jsontext.Value
}

// NewSession creates a session (session/new). It fails with [ErrAuthRequired] if the user
// has to sign in first, and with [ErrSessionTaken] if the agent returns a session of another lane.
// Updates of the session may reach the handler before the response.
func (c *Conn) NewSession(ctx context.Context, p sdk.NewSessionRequest) (SessionResult, error) {
	p.McpServers = servers(p.McpServers)
	k := &call{method: methodNew, lane: c.lane, done: make(chan struct{})}
	raw, err := c.do(ctx, k, p)
	if err != nil {
		return SessionResult{}, err
	}
	if k.taken {
		return SessionResult{}, ErrSessionTaken
	}
	r := readSession("", raw)
	if r.SessionID == "" {
		return r, fmt.Errorf("the agent opened a session without an id: %.200s", raw)
	}
	return r, nil
}

// LoadSession opens a stored session, which the agent replays (session/load). Some agents
// replay after the response. It fails with [ErrSessionTaken] if another lane has the session.
func (c *Conn) LoadSession(ctx context.Context, p sdk.LoadSessionRequest) (SessionResult, error) {
	p.McpServers = servers(p.McpServers)
	id := string(p.SessionId)
	if err := c.claim(id); err != nil {
		return SessionResult{}, err
	}
	raw, err := c.call(ctx, "session/load", id, p)
	if err != nil {
		c.unclaim(id)
		return SessionResult{}, err
	}
	return readSession(id, raw), nil
}

// ResumeSession opens a stored session without a replay (session/resume). It fails with
// [ErrSessionTaken] if another lane has the session.
func (c *Conn) ResumeSession(ctx context.Context, p sdk.ResumeSessionRequest) (SessionResult, error) {
	id := string(p.SessionId)
	if err := c.claim(id); err != nil {
		return SessionResult{}, err
	}
	raw, err := c.call(ctx, "session/resume", id, struct {
		sdk.ResumeSessionRequest
		McpServers []sdk.McpServer `json:"mcpServers"`
	}{p, servers(p.McpServers)})
	if err != nil {
		c.unclaim(id)
		return SessionResult{}, err
	}
	return readSession(id, raw), nil
}

func readSession(id string, raw jsontext.Value) SessionResult {
	r := SessionResult{SessionID: id, Raw: raw}
	for name, v := range scan.Fields(raw) {
		if scan.Null(v) {
			continue
		}
		switch string(name) {
		case "sessionId":
			if id == "" {
				r.SessionID, _ = scan.Label(v)
			}
		case "modes":
			r.Modes = scan.Clone(v)
		case "models":
			r.Models = scan.Clone(v)
		case "configOptions":
			r.ConfigOptions = scan.Clone(v)
		}
	}
	return r
}

// servers returns an empty list instead of nil, because agents refuse null.
func servers(list []sdk.McpServer) []sdk.McpServer {
	out := make([]sdk.McpServer, 0, len(list))
	for _, s := range list {
		if s.Stdio != nil {
			v := *s.Stdio
			v.Args, v.Env = some(v.Args), some(v.Env)
			s.Stdio = &v
		}
		if s.Http != nil {
			v := *s.Http
			v.Headers = some(v.Headers)
			s.Http = &v
		}
		if s.Sse != nil {
			v := *s.Sse
			v.Headers = some(v.Headers)
			s.Sse = &v
		}
		out = append(out, s)
	}
	return out
}

func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return slices.Clip(list)
}

// PromptResult is the result of a turn.
type PromptResult struct {
	StopReason string // end_turn, max_tokens, max_turn_requests, refusal, cancelled, or another
	Usage      jsontext.Value
	Raw        jsontext.Value
}

// Prompt sends a prompt (session/prompt) and blocks until the turn has ended. To stop a turn, call [Conn.Cancel] and
// don't cancel ctx: the agent then ends the turn with "cancelled". queued is called after the prompt is queued, so that
// later messages reach the agent after it, and not at all if the prompt can't be sent. It may be nil.
func (c *Conn) Prompt(ctx context.Context, sessionID string, prompt []sdk.ContentBlock, queued func()) (PromptResult, error) {
	c.prompting(c.lane, 1)
	defer c.prompting(c.lane, -1)
	return c.version().turn(ctx, c, sessionID, prompt, queued)
}

// ReadPrompt reads the result of a session/prompt. A result without a stop reason, or with an empty one, counts as
// end_turn.
func ReadPrompt(raw jsontext.Value) PromptResult {
	r := PromptResult{Raw: raw, StopReason: "end_turn"}
	if s, ok := scan.Text(scan.Member(raw, "stopReason")); ok && strings.TrimSpace(s) != "" {
		r.StopReason = s
	}
	if v := scan.Member(raw, "usage"); scan.Null(v) {
		r.Usage = usageInMeta(raw)
	} else {
		r.Usage = scan.Clone(v)
	}
	return r
}

// CatchUp blocks until the handler has handled everything queued in the lane so far, or ctx ends. The handler must not
// call it.
func (c *Conn) CatchUp(ctx context.Context) { c.lane.queue.catchUp(ctx) }

// Cancel asks the agent to end the turn of a session (session/cancel). It returns once the message is queued. The
// caller must answer open permission requests of the turn with "cancelled".
func (c *Conn) Cancel(ctx context.Context, sessionID string) error {
	return c.Notify(ctx, "session/cancel", map[string]string{"sessionId": sessionID})
}
