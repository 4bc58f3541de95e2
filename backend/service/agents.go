package service

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weft/backend/agent"
	"weft/backend/service/models"
	"weft/backend/service/ref"
	"weft/backend/service/secrets"
	"weft/backend/settings"
)

func (s *Service) agentList() []Agent {
	def := s.agents.Default().ID
	list := make([]Agent, 0, 32)
	for _, c := range append(s.agents.Agents(), s.agents.Available()...) {
		list = append(list, s.agentView(c, c.ID == def))
	}
	return list
}

func (s *Service) agentView(c agent.Config, isDefault bool) Agent {
	a := Agent{
		ID: c.ID, Name: c.Name, Description: c.Description, Homepage: c.Homepage, Command: c.Command,
		Args: append([]string{}, c.Args...), Env: maps.Clone(c.Env), Cwd: c.Cwd, Process: c.Process, Sandbox: c.Sandbox, ModelProxy: c.ModelProxy, Source: string(c.Source),
		Installed: c.Installed, InstallHint: c.InstallHint, Default: isDefault,
		Model: c.Model, SecretEnv: maps.Clone(c.Secrets), LogOut: len(c.Secrets) > 0 || s.runs.CanLogOut(s.ctx, c.ID),
	}
	if r, ok := s.installer.Record(c.Command); ok {
		a.Registry = &RegistryRef{ID: r.ID, Version: r.Version}
	}
	a.Unasked = s.unasked(c)
	if a.Env == nil {
		a.Env = map[string]string{}
	}
	if c.Source == agent.SourceFound && !c.Installed {
		a.Source = "catalog"
	}
	return a
}

// ListAgents answers all agents: the built-in one, those found here, the person's own,
// then those that are known but not installed.
func (s *Service) ListAgents(context.Context, none) ([]Agent, error) { return s.agentList(), nil }

// RescanAgents looks for agents on this machine again; it may take some seconds.
func (s *Service) RescanAgents(ctx context.Context, _ none) ([]Agent, error) {
	if err := s.agents.Rescan(ctx); err != nil {
		return nil, err
	}
	return s.agentList(), nil
}

var notID = regexp.MustCompile(`[^a-z0-9]+`)

// SaveAgent adds or replaces the person's own entry of an agent.
func (s *Service) SaveAgent(ctx context.Context, req SaveAgentRequest) (Agent, error) {
	if err := req.check(); err != nil {
		return Agent{}, err
	}
	before := s.settings.Get()
	refs, added, err := s.secrets.Keep(ctx, req.Name, req.SecretEnv)
	if err != nil {
		s.secrets.Forget(ctx, added...)
		return Agent{}, err
	}
	err = s.settings.Update(func(now *settings.Settings) error {
		if req.ID == "" {
			req.ID = s.freeID(now, req.Name)
		}
		own := settings.Agent{ID: req.ID, Name: req.Name, Command: req.Command, Args: req.Args, Env: req.Env, Cwd: req.Cwd, Process: req.Process, Sandbox: req.Sandbox, ModelProxy: req.ModelProxy, Registry: s.markOf(req.Command), Model: req.Model}
		now.HiddenAgents = slices.DeleteFunc(now.HiddenAgents, func(id string) bool { return id == req.ID })
		if i := slices.IndexFunc(now.Agents, func(a settings.Agent) bool { return a.ID == req.ID }); i >= 0 {
			now.Agents[i] = own
		} else {
			now.Agents = append(now.Agents, own)
		}
		if req.SecretEnv != nil {
			secrets.SetOfAgent(now, req.ID, refs)
		}
		return nil
	})
	if err != nil {
		s.secrets.Forget(ctx, added...)
		return Agent{}, err
	}
	s.secrets.ForgetDropped(ctx, before)
	if req.Sandbox != nil {
		if err := s.runs.SettleUnasked(ctx, req.ID); err != nil {
			return Agent{}, err
		}
	}
	return s.changedAgent(req.ID)
}

// check tidies a form and answers what is wrong with it.
func (req *SaveAgentRequest) check() error {
	req.Name, req.Command = strings.TrimSpace(req.Name), strings.TrimSpace(req.Command)
	if req.Name == "" {
		return invalid("Give the agent a name.")
	}
	if req.Model != nil {
		req.Command, req.Args = "", nil
		if err := models.Check(req.Model); err != nil {
			return err
		}
	} else if req.Command == "" && req.ID != settings.GuideID {
		return invalid("Give the command that starts the agent.")
	}
	if req.Sandbox != nil {
		if wrong := req.Sandbox.Wrong(); wrong != "" {
			return invalid("Change the sandbox: " + wrong + ".")
		}
	}
	if req.ModelProxy != nil {
		if wrong := req.ModelProxy.Wrong(); wrong != "" {
			return invalid("Change the model proxy: " + wrong + ".")
		}
	}
	return secrets.CheckForm(req.Env, req.SecretEnv)
}

// freeID makes an id of a name that no agent has.
func (s *Service) freeID(now *settings.Settings, name string) string {
	base := strings.Trim(notID.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if base == "" {
		base = "agent"
	}
	taken := map[string]bool{}
	for _, a := range now.Agents {
		taken[a.ID] = true
	}
	for _, c := range append(s.agents.Agents(), s.agents.Available()...) {
		taken[c.ID] = true
	}
	id := base
	for n := 2; taken[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	return id
}

// changedAgent answers an agent as it is after a change of the settings. The registry tells everyone.
func (s *Service) changedAgent(id string) (Agent, error) {
	s.agents.Refresh(s.ctx)
	c, err := s.agents.Get(id)
	if err != nil {
		return Agent{}, err
	}
	return s.agentView(c, c.ID == s.agents.Default().ID), nil
}

// DuplicateAgent makes a copy of an agent as the person's own.
func (s *Service) DuplicateAgent(ctx context.Context, req ref.AgentRef) (Agent, error) {
	c, err := s.agents.Get(req.AgentID)
	if err != nil {
		return Agent{}, err
	}
	return s.SaveAgent(ctx, SaveAgentRequest{Name: c.Name + " copy", Command: c.Command, Args: c.Args, Env: c.Env, Cwd: c.Cwd, Process: c.Process, Sandbox: c.Sandbox, ModelProxy: c.ModelProxy, SecretEnv: secrets.Inputs(c.Secrets), Model: c.Model})
}

// RemoveAgent takes an agent out of the list: the person's own entry is deleted (what it
// replaced shows again), a found agent is hidden. The built-in one stays.
func (s *Service) RemoveAgent(ctx context.Context, req ref.AgentRef) (none, error) {
	c, err := s.agents.Get(req.AgentID)
	if err != nil {
		return none{}, err
	}
	defer s.retireUnused()
	was := s.settings.Get()
	err = s.settings.Update(func(now *settings.Settings) error {
		secrets.SetOfAgent(now, req.AgentID, nil)
		before := len(now.Agents)
		now.Agents = slices.DeleteFunc(now.Agents, func(a settings.Agent) bool { return a.ID == req.AgentID })
		switch {
		case len(now.Agents) < before:
		case c.Source == agent.SourceBuiltin:
			return invalid("The built-in guide cannot be removed.")
		case !slices.Contains(now.HiddenAgents, req.AgentID):
			now.HiddenAgents = append(now.HiddenAgents, req.AgentID)
		}
		if now.DefaultAgent == req.AgentID && c.Source != agent.SourceBuiltin {
			now.DefaultAgent = settings.GuideID
		}
		return nil
	})
	if err != nil {
		return none{}, err
	}
	s.secrets.ForgetDropped(ctx, was)
	err = s.runs.ForgetUnasked(ctx, req.AgentID)
	s.agents.Refresh(s.ctx)
	return none{}, err
}

// SetDefaultAgent chooses the agent of new spaces.
func (s *Service) SetDefaultAgent(_ context.Context, req ref.AgentRef) (Agent, error) {
	if _, err := s.agents.Get(req.AgentID); err != nil {
		return Agent{}, err
	}
	if err := s.settings.Update(func(now *settings.Settings) error {
		now.DefaultAgent = req.AgentID
		return nil
	}); err != nil {
		return Agent{}, err
	}
	return s.changedAgent(req.AgentID)
}

// SaveAppearance changes how the window looks.
func (s *Service) SaveAppearance(_ context.Context, req Appearance) (Appearance, error) {
	err := s.settings.Update(func(now *settings.Settings) error {
		now.Appearance = settings.Appearance(req)
		return nil
	})
	return Appearance(s.settings.Get().Appearance), err
}
