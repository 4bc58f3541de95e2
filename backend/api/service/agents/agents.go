package agents

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/agent"
	"weft/backend/api/service/jobs"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/secrets"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/settings"
	"weft/backend/space/runs"
)

// Options configures [New].
type Options struct {
	Settings *settings.File
	Registry *agent.Registry
	Runs     *runs.Manager
	Secrets  *secrets.Keeper
	Models   *Models
	Tests    *jobs.Tests
	Installs *Installs
	Work     *jobs.Work
	Changed  func() // called when the list has changed without a report by the registry
}

// Agents are the agents known on this machine: built-in, found, installed and custom.
type Agents struct {
	settings *settings.File
	registry *agent.Registry
	runs     *runs.Manager
	secrets  *secrets.Keeper
	models   *Models
	tests    *jobs.Tests
	installs *Installs
	work     *jobs.Work
	changed  func()
	tried    tried
}

// New returns the agents of a registry.
func New(opt Options) *Agents {
	return &Agents{
		settings: opt.Settings, registry: opt.Registry, runs: opt.Runs, secrets: opt.Secrets, models: opt.Models, tests: opt.Tests,
		installs: opt.Installs, work: opt.Work, changed: opt.Changed,
	}
}

// List returns all agents: the built-in one, those found on this machine, custom ones, then known agents that are not
// installed.
func (s *Agents) List() []Agent {
	def := s.registry.Default().ID
	list := make([]Agent, 0, 32)
	for _, c := range append(s.registry.Agents(), s.registry.Available()...) {
		list = append(list, s.view(c, c.ID == def))
	}
	return list
}

func (s *Agents) view(c agent.Config, isDefault bool) Agent {
	a := Agent{
		ID: c.ID, Name: c.Name, Description: c.Description, Homepage: c.Homepage, Command: c.Command,
		Args: append([]string{}, c.Args...), Env: maps.Clone(c.Env), Cwd: c.Cwd, Process: c.Process, Sandbox: c.Sandbox, ModelProxy: c.ModelProxy, Source: string(c.Source),
		Installed: c.Installed, InstallHint: c.InstallHint, Default: isDefault,
		Model: c.Model, SecretEnv: maps.Clone(c.Secrets), LogOut: len(c.Secrets) > 0 || s.runs.Notes().CanLogOut(s.work.Context(), c.ID),
	}
	if r := s.installed(c.Command); r != nil {
		a.Registry = &RegistryRef{ID: r.ID, Version: r.Version}
	}
	a.Unasked = s.unasked(c)
	a.Tested = s.tested(c)
	a.Leads, a.WholeFrom = proxyVariables(c), s.wholeFrom(c)
	if a.Env == nil {
		a.Env = map[string]string{}
	}
	if c.Source == agent.SourceFound && !c.Installed {
		a.Source = "catalog"
	}
	return a
}

// ListAgents returns all agents: the built-in one, those found on this machine, custom ones, then known agents that are
// not installed.
func (s *Agents) ListAgents(context.Context, command.None) ([]Agent, error) { return s.List(), nil }

// RescanAgents searches this machine for agents again. It may take some seconds.
func (s *Agents) RescanAgents(ctx context.Context, _ command.None) ([]Agent, error) {
	if err := s.registry.Rescan(ctx); err != nil {
		return nil, err
	}
	return s.List(), nil
}

var notID = lazyregexp.New(`[^a-z0-9]+`)

// SaveAgent adds or replaces a custom agent. With `find` it returns agent_missing or agent_not_executable if its
// command can't be started on this machine.
func (s *Agents) SaveAgent(ctx context.Context, req SaveAgentRequest) (Agent, error) {
	if err := req.check(); err != nil {
		return Agent{}, err
	}
	if req.Find && req.Command != "" {
		if err := s.registry.Find(ctx, req.Command); err != nil {
			return Agent{}, err
		}
	}
	before := s.settings.Get()
	refs, added, err := s.secrets.Keep(ctx, req.Name, req.SecretEnv)
	if err != nil {
		s.secrets.Forget(ctx, added...)
		return Agent{}, err
	}
	err = s.settings.Update(func(now *settings.Settings) error {
		if req.ID == "" {
			req.ID = freeID(now, s.registry, req.Name)
		}
		own := settings.Agent{ID: req.ID, Name: req.Name, Command: req.Command, Args: req.Args, Env: req.Env, Cwd: req.Cwd, Process: req.Process, Sandbox: req.Sandbox, ModelProxy: req.ModelProxy, Registry: s.installed(req.Command), Model: req.Model}
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
		if err := s.runs.Notes().SettleUnasked(ctx, req.ID); err != nil {
			return Agent{}, err
		}
	}
	if req.ModelProxy != nil {
		if err := s.runs.Notes().SettleWhole(ctx, req.ID); err != nil {
			return Agent{}, err
		}
	}
	s.noteTried(ctx, req)
	return s.reread(req.ID)
}

// check normalizes a form and returns what is invalid in it.
func (req *SaveAgentRequest) check() error {
	req.Name, req.Command = strings.TrimSpace(req.Name), strings.TrimSpace(req.Command)
	if req.Name == "" {
		return fault.New(fault.Invalid, "Enter a name for the agent.")
	}
	if req.Model != nil {
		req.Command, req.Args = "", nil
		if err := checkModel(req.Model); err != nil {
			return err
		}
	} else if req.Command == "" && req.ID != settings.GuideID {
		return fault.New(fault.Invalid, "Enter the command that starts the agent.")
	}
	if req.Sandbox != nil {
		if wrong := req.Sandbox.Wrong(); wrong != "" {
			return fault.New(fault.Invalid, "Change the sandbox: {{wrong}}.", wrong)
		}
	}
	if req.ModelProxy != nil {
		if wrong := req.ModelProxy.Wrong(); wrong != "" {
			return fault.New(fault.Invalid, "Change the model proxy: {{wrong}}.", wrong)
		}
	}
	return secrets.CheckForm(req.Env, req.SecretEnv)
}

// freeID derives an id from a name that no agent in the settings or the registry has.
func freeID(now *settings.Settings, registry *agent.Registry, name string) string {
	base := strings.Trim(notID.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if base == "" {
		base = "agent"
	}
	taken := map[string]bool{}
	for _, a := range now.Agents {
		taken[a.ID] = true
	}
	for _, c := range append(registry.Agents(), registry.Available()...) {
		taken[c.ID] = true
	}
	id := base
	for n := 2; taken[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	return id
}

// installed returns the agent of the registry to which a command belongs, or nil.
func (s *Agents) installed(command string) *settings.FromRegistry {
	r, ok := s.installs.installer.Record(command)
	if !ok {
		return nil
	}
	return &settings.FromRegistry{ID: r.ID, Version: r.Version}
}

// reread returns an agent after a change of the settings. The registry reports the change to everyone else.
func (s *Agents) reread(id string) (Agent, error) {
	s.registry.Refresh(s.work.Context())
	c, err := s.registry.Get(id)
	if err != nil {
		return Agent{}, err
	}
	return s.view(c, c.ID == s.registry.Default().ID), nil
}

// DuplicateAgent copies an agent as a custom one.
func (s *Agents) DuplicateAgent(ctx context.Context, req ref.AgentRef) (Agent, error) {
	c, err := s.registry.Get(req.AgentID)
	if err != nil {
		return Agent{}, err
	}
	return s.SaveAgent(ctx, SaveAgentRequest{Name: c.Name + " copy", Command: c.Command, Args: c.Args, Env: c.Env, Cwd: c.Cwd, Process: c.Process, Sandbox: c.Sandbox, ModelProxy: c.ModelProxy, SecretEnv: secrets.Inputs(c.Secrets), Model: c.Model})
}

// RemoveAgent removes an agent from the list: it deletes a custom agent (the agent that it replaced shows again) and
// hides a found one. The built-in agent can't be removed.
func (s *Agents) RemoveAgent(ctx context.Context, req ref.AgentRef) (command.None, error) {
	c, err := s.registry.Get(req.AgentID)
	if err != nil {
		return command.None{}, err
	}
	defer s.installs.retireUnused()
	was := s.settings.Get()
	err = s.settings.Update(func(now *settings.Settings) error {
		secrets.SetOfAgent(now, req.AgentID, nil)
		before := len(now.Agents)
		now.Agents = slices.DeleteFunc(now.Agents, func(a settings.Agent) bool { return a.ID == req.AgentID })
		switch {
		case len(now.Agents) < before:
		case c.Source == agent.SourceBuiltin:
			return fault.New(fault.Invalid, "The built-in guide can't be removed.")
		case !slices.Contains(now.HiddenAgents, req.AgentID):
			now.HiddenAgents = append(now.HiddenAgents, req.AgentID)
		}
		if now.DefaultAgent == req.AgentID && c.Source != agent.SourceBuiltin {
			now.DefaultAgent = settings.GuideID
		}
		return nil
	})
	if err != nil {
		return command.None{}, err
	}
	s.secrets.ForgetDropped(ctx, was)
	err = s.runs.Notes().Forget(ctx, req.AgentID)
	s.registry.Refresh(s.work.Context())
	return command.None{}, err
}

// SetDefaultAgent sets the agent for new spaces.
func (s *Agents) SetDefaultAgent(_ context.Context, req ref.AgentRef) (Agent, error) {
	if _, err := s.registry.Get(req.AgentID); err != nil {
		return Agent{}, err
	}
	if err := s.settings.Update(func(now *settings.Settings) error {
		now.DefaultAgent = req.AgentID
		return nil
	}); err != nil {
		return Agent{}, err
	}
	return s.reread(req.AgentID)
}
