package agents

import (
	"context"
	"errors"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agent/agentauth"
	"weft/backend/api/service/jobs"
	"weft/backend/api/service/secrets"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/settings"
	"weft/backend/space/runs"
	"weft/backend/store"
)

// Requests about signing in. Each names a space, or an agent alone.
type (
	// SignInRequest names a sign-in method from the state `session` (or from TestAgent).
	SignInRequest struct {
		SpaceID  string `json:"spaceId,omitzero"`
		MemberID string `json:"memberId,omitzero"` // of the space; "": the default member
		AgentID  string `json:"agentId,omitzero"`
		MethodID string `json:"methodId"`
		// Values has the environment variables of the method. Stored ones may be absent.
		Values map[string]string `json:"values,omitzero"`
	}
	// AgentWordsRequest names a member of a space, or an agent alone.
	AgentWordsRequest struct {
		SpaceID  string `json:"spaceId,omitzero"`
		MemberID string `json:"memberId,omitzero"` // of the space; "": the default member
		AgentID  string `json:"agentId,omitzero"`
	}
	// AgentWordsResult is the last output of an agent outside the protocol.
	AgentWordsResult struct {
		Text string `json:"text"` // at most 4 KiB
	}
	// StartSignInRequest runs a sign-in method in a terminal of that size.
	StartSignInRequest struct {
		SpaceID  string `json:"spaceId,omitzero"`
		MemberID string `json:"memberId,omitzero"` // of the space; "": the default member
		AgentID  string `json:"agentId,omitzero"`
		MethodID string `json:"methodId"`
		Rows     int    `json:"rows"`
		Cols     int    `json:"cols"`
	}
	// SignInOutputRequest asks for the output of a sign-in's terminal since the byte From.
	SignInOutputRequest struct {
		TerminalID string `json:"terminalId"`
		From       int64  `json:"from"`
	}
	// TypeSignInRequest types into a sign-in's terminal.
	TypeSignInRequest struct {
		TerminalID string `json:"terminalId"`
		Text       string `json:"text"`
	}
	// ResizeSignInRequest sets the terminal's size.
	ResizeSignInRequest struct {
		TerminalID string `json:"terminalId"`
		Rows       int    `json:"rows"`
		Cols       int    `json:"cols"`
	}
	// SignInTerminalRef names the terminal of a sign-in.
	SignInTerminalRef struct {
		TerminalID string `json:"terminalId"`
	}
	// LogOutRequest logs out of an agent.
	LogOutRequest struct {
		SpaceID  string `json:"spaceId,omitzero"`
		MemberID string `json:"memberId,omitzero"` // of the space; "": the default member
		AgentID  string `json:"agentId,omitzero"`
	}
	// LogOutResult is the result of logging out.
	LogOutResult struct {
		Agent     bool `json:"agent"`     // the agent logged out
		Forgotten int  `json:"forgotten"` // number of deleted variables
	}
)

// SignIns signs in to agents and logs out.
type SignIns struct {
	store    *store.Store
	settings *settings.File
	agents   *agent.Registry
	runs     *runs.Manager
	secrets  *secrets.Keeper
	tests    *jobs.Tests

	terminals *agentauth.Terminals
}

// NewSignIns returns sign-ins for the agents that manager starts.
func NewSignIns(st *store.Store, file *settings.File, agents *agent.Registry, manager *runs.Manager, keeper *secrets.Keeper, running *jobs.Tests, terminals *agentauth.Terminals) *SignIns {
	return &SignIns{store: st, settings: file, agents: agents, runs: manager, secrets: keeper, tests: running, terminals: terminals}
}

// Close ends the commands in terminals, and blocks until they are gone.
func (s *SignIns) Close() { s.terminals.Close() }

// target returns the agent of a request, and the folder of its space ("" without a space).
func (s *SignIns) target(ctx context.Context, spaceID, memberID, agentID string) (config agent.Config, folder string, err error) {
	if spaceID != "" {
		sp, err := s.store.Spaces.Get(ctx, spaceID)
		if err != nil {
			return config, "", err
		}
		agentID, folder = sp.AgentID, sp.Folder
		for _, m := range sp.Members {
			if m.ID == memberID {
				agentID = m.AgentID
			}
		}
	}
	config, err = s.agents.Get(agentID)
	return config, folder, err
}

// SignIn signs in to an agent and blocks until that is done; CancelTest cancels it. For a method with variables, it
// stores their values and restarts the agent. For a method in a terminal, call it after the command has ended; it then
// restarts the agent. In a space, a session is open afterwards.
func (s *SignIns) SignIn(ctx context.Context, req SignInRequest) (command.None, error) {
	ctx, end := s.tests.Start(ctx)
	defer end()
	err := s.signIn(ctx, req)
	if err != nil && ctx.Err() != nil {
		return command.None{}, fault.New("cancelled", "The sign-in was canceled.").Because(err)
	}
	return command.None{}, err
}

func (s *SignIns) signIn(ctx context.Context, req SignInRequest) error {
	config, _, err := s.target(ctx, req.SpaceID, req.MemberID, req.AgentID)
	if err != nil {
		return err
	}
	method, err := s.runs.Sessions().Method(ctx, req.SpaceID, req.MemberID, config, req.MethodID)
	if err != nil {
		return err
	}
	if method.Type == agentauth.ByVariables {
		if config, err = s.keepVariables(ctx, config, method, req.Values); err != nil {
			return err
		}
	}
	if req.SpaceID == "" {
		err = s.runs.Visits().SignIn(ctx, config, method)
		s.runs.Sessions().EndIdle(config.ID)
		return err
	}
	return s.runs.Sessions().SignIn(ctx, req.SpaceID, req.MemberID, method)
}

// AgentWords returns an agent's last output on stderr, and on stdout outside the protocol, while the agent runs in a
// space or signs in without one. Many agents print the address for signing in there.
func (s *SignIns) AgentWords(_ context.Context, req AgentWordsRequest) (AgentWordsResult, error) {
	if req.SpaceID != "" {
		return AgentWordsResult{s.runs.Sessions().Words(req.SpaceID, req.MemberID)}, nil
	}
	config, err := s.agents.Get(req.AgentID)
	if err != nil {
		return AgentWordsResult{}, err
	}
	return AgentWordsResult{s.runs.Visits().Words(config)}, nil
}

// keepVariables stores the values of a sign-in method and returns the agent with them.
func (s *SignIns) keepVariables(ctx context.Context, config agent.Config, method agentauth.Method, values map[string]string) (agent.Config, error) {
	form := secrets.Inputs(config.Secrets)
	for _, v := range method.Variables {
		_, kept := config.Secrets[v.Name]
		switch value := values[v.Name]; {
		case value != "":
			form[v.Name] = secrets.SecretInput{Value: value}
		case !kept && !v.Optional && config.Env[v.Name] == "":
			name := v.Name
			if v.Label != "" {
				name = v.Label
			}
			return config, fault.New(fault.Invalid, "Enter a value for {{name}}.", name)
		}
	}
	before := s.settings.Get()
	refs, added, err := s.secrets.Keep(ctx, config.ID, form)
	if err == nil {
		err = s.settings.Update(func(now *settings.Settings) error {
			secrets.SetOfAgent(now, config.ID, refs)
			return nil
		})
	}
	if err != nil {
		s.secrets.Forget(ctx, added...)
		return config, err
	}
	s.secrets.ForgetDropped(ctx, before)
	s.agents.Refresh(ctx)
	return s.agents.Get(config.ID)
}

// LogOut logs the agent out if it supports that, and deletes its stored variables. Error: unsupported if it has
// neither.
func (s *SignIns) LogOut(ctx context.Context, req LogOutRequest) (LogOutResult, error) {
	ctx, end := s.tests.Start(ctx)
	defer end()
	var res LogOutResult
	config, _, err := s.target(ctx, req.SpaceID, req.MemberID, req.AgentID)
	if err != nil {
		return res, err
	}
	err = s.runs.Sessions().LogOut(ctx, req.SpaceID, req.MemberID, config)
	var why *runs.Error
	switch {
	case err == nil, errors.Is(err, acp.ErrAuthRequired): // the agent is logged out
		res.Agent = true
	case errors.As(err, &why) && why.Code == "busy":
		return res, err
	case len(config.Secrets) == 0:
		return res, err
	}
	logoutErr := err
	if len(config.Secrets) > 0 {
		before := s.settings.Get()
		if err := s.settings.Update(func(now *settings.Settings) error {
			secrets.SetOfAgent(now, config.ID, nil)
			return nil
		}); err != nil {
			return res, err
		}
		res.Forgotten = len(config.Secrets)
		s.secrets.ForgetDropped(ctx, before)
		s.secrets.Tidy(ctx)
		s.agents.Refresh(ctx)
	}
	s.runs.Sessions().EndIdle(config.ID)
	if logoutErr != nil && !res.Agent && (why == nil || why.Code != "unsupported") {
		return res, logoutErr // the variables are deleted, but the agent did not log out
	}
	return res, nil
}

// StartSignIn runs a sign-in method in a terminal. SignInOutput returns its output. When it has ended with 0, call
// SignIn.
func (s *SignIns) StartSignIn(ctx context.Context, req StartSignInRequest) (agentauth.Terminal, error) {
	ctx, end := s.tests.Start(ctx)
	defer end()
	config, folder, err := s.target(ctx, req.SpaceID, req.MemberID, req.AgentID)
	if err != nil {
		return agentauth.Terminal{}, err
	}
	method, err := s.runs.Sessions().Method(ctx, req.SpaceID, req.MemberID, config, req.MethodID)
	if err != nil {
		return agentauth.Terminal{}, err
	}
	return s.terminals.Start(ctx, config, method, folder, terminalWindow(req.Rows, req.Cols))
}

func terminalWindow(rows, cols int) agent.Window {
	return agent.Window{Rows: uint16(min(max(rows, 0), 1000)), Cols: uint16(min(max(cols, 0), 1000))}
}

// SignInOutput returns a terminal's output since a position, or how it ended. It blocks until there is some, at most 20
// s. A terminal without a call for a minute is ended.
func (s *SignIns) SignInOutput(ctx context.Context, req SignInOutputRequest) (agentauth.Output, error) {
	return s.terminals.Output(ctx, req.TerminalID, req.From)
}

// TypeSignIn sends input to the terminal of a sign-in.
func (s *SignIns) TypeSignIn(_ context.Context, req TypeSignInRequest) (command.None, error) {
	return command.None{}, s.terminals.Type(req.TerminalID, req.Text)
}

// ResizeSignIn sets the size of a sign-in's terminal.
func (s *SignIns) ResizeSignIn(_ context.Context, req ResizeSignInRequest) (command.None, error) {
	return command.None{}, s.terminals.Resize(req.TerminalID, terminalWindow(req.Rows, req.Cols))
}

// EndSignIn ends a sign-in in a terminal, and blocks until its processes are gone.
func (s *SignIns) EndSignIn(_ context.Context, req SignInTerminalRef) (command.None, error) {
	s.terminals.End(req.TerminalID)
	return command.None{}, nil
}
