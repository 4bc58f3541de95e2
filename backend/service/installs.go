package service

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"weft/backend/agent"
	"weft/backend/registry"
	"weft/backend/registry/install"
	"weft/backend/service/news"
	"weft/backend/settings"
	"weft/backend/transcript"
)

// progressEvery is how often the progress of installs is told at most.
const progressEvery = 150 * time.Millisecond

// tidyEvery is how often it is looked whether what is to be removed can be by now.
const tidyEvery = 10 * time.Second

// installs are the installations in progress, and those that have ended and were not dismissed.
type installs struct {
	mu         sync.Mutex
	jobs       map[string]*installJob
	told       time.Time
	tidying    bool // somebody waits for what still runs
	refreshing atomic.Int32
	asked      time.Time // when a source was last asked; under the service's mutex, as are these
	askedOf    string    // which one
	source     string    // as the settings last had it
}

type installJob struct {
	view   Install   // under installs.mu
	answer chan bool // of the open question; under installs.mu, nil if there is none
	cancel context.CancelFunc
	done   chan struct{}
}

func (j *installJob) active() bool { return j.view.State == "running" || j.view.State == "asking" }

func (i *installs) list() []Install {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := make([]Install, 0, len(i.jobs))
	for _, id := range slices.Sorted(maps.Keys(i.jobs)) {
		list = append(list, i.jobs[id].view)
	}
	return list
}

// begin makes a job unless that agent has one in progress.
func (i *installs) begin(view Install, cancel context.CancelFunc) (*installJob, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if old := i.jobs[view.ID]; old != nil && old.active() {
		return nil, false
	}
	job := &installJob{view: view, cancel: cancel, done: make(chan struct{})}
	i.jobs[view.ID] = job
	return job, true
}

// note changes what is known of a job. It reports whether that is worth telling now.
func (i *installs) note(job *installJob, change func(*Install)) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	step, state := job.view.Step, job.view.State
	change(&job.view)
	now := time.Now()
	if job.view.Step == step && job.view.State == state && now.Sub(i.told) < progressEvery {
		return false
	}
	i.told = now
	return true
}

func (i *installs) running(id string) *installJob {
	i.mu.Lock()
	defer i.mu.Unlock()
	if job := i.jobs[id]; job != nil && job.active() {
		return job
	}
	return nil
}

func (s *Service) publishInstalls() {
	s.news.Tell("installs", func() news.Event { return InstallsEvent{Installs: s.installs.list()} })
}

// InstallAgent begins to install an agent, or to update it. How far it is, what it has to ask, and how it ended, is told by
// the event installs.
func (s *Service) InstallAgent(_ context.Context, req InstallAgentRequest) (none, error) {
	e, t, local, err := s.wanted(req)
	if err != nil {
		return none{}, err
	}
	if p := s.settings.Problem(); p != nil {
		return none{}, settings.Refused(p)
	}
	info, update := s.installedAgents()[e.ID]
	if update && !info.Broken && info.Version == e.Version {
		return none{}, &Error{Code: "installed", Message: e.Name + " " + e.Version + " is installed already."}
	}
	ctx, cancel := context.WithCancel(s.ctx)
	job, ok := s.installs.begin(Install{
		ID: e.ID, Name: e.Name, Version: e.Version, Update: update, State: "running", StartedAt: time.Now().UnixMilli(),
	}, cancel)
	if !ok {
		cancel()
		return none{}, &Error{Code: install.CodeBusy, Message: e.Name + " is being installed already."}
	}
	s.publishInstalls()
	s.tasks.Go(func() {
		defer close(job.done)
		defer cancel()
		s.runInstall(ctx, job, e, t, local, req)
	})
	return none{}, nil
}

func (s *Service) runInstall(ctx context.Context, job *installJob, e registry.Entry, t registry.Target, local bool, req InstallAgentRequest) {
	r, err := s.installer.Install(ctx, e, t, local, func(p install.Progress) {
		if s.installs.note(job, func(v *Install) {
			v.Step, v.Done, v.Total, v.Line = string(p.Step), p.Done, p.Total, cmp.Or(p.Line, v.Line)
		}) {
			s.publishInstalls()
		}
	}, func(ctx context.Context, q install.Question) (bool, error) { return s.askInstall(ctx, job, q, req) })
	var agentID string
	if err == nil {
		agentID, err = s.adopt(r)
		if err != nil {
			_ = s.installer.Remove(r)
		}
	}
	s.installs.note(job, func(v *Install) {
		v.State, v.SHA256, v.Vouched, v.AgentID = "done", r.SHA256, r.Vouched, agentID
		if err == nil {
			return
		}
		code, message, detail := Explain(err)
		v.State, v.Failure = "failed", &transcript.Failure{Code: code, Message: message, Detail: detail}
		if code == install.CodeCancelled {
			v.State, v.Failure = "cancelled", nil
		}
	})
	if err != nil {
		s.opt.Log.Warn().Err(err).Str("agent", e.ID).Str("version", e.Version).Msg("an agent was not installed")
	} else {
		s.opt.Log.Info().Str("agent", e.ID).Str("version", e.Version).Str("kind", string(r.Kind)).Str("sha256", r.SHA256).Msg("an agent was installed")
		s.retireUnused()
		s.tidyAgents()
	}
	s.publishInstalls()
	s.publishRegistry()
}

// adopt makes an installed agent one of the settings, or switches those over that run from an earlier version.
func (s *Service) adopt(r install.Record) (agentID string, err error) {
	err = s.settings.Update(func(now *settings.Settings) error {
		mark := &settings.FromRegistry{ID: r.ID, Version: r.Version}
		for i := range now.Agents {
			a := &now.Agents[i]
			if owner, ok := s.installer.Owner(a.Command); !ok || owner != r.ID {
				continue
			}
			if old, ok := s.installer.Record(a.Command); ok {
				a.Args = mergeArgs(old.Args, a.Args, r.Args)
				a.Env = mergeEnv(old.Env, a.Env, r.Env)
			}
			a.Command, a.Registry = r.Command(), mark
			agentID = cmp.Or(agentID, a.ID)
		}
		if agentID == "" {
			a := settings.Agent{Name: s.freeName(r.Name), Command: r.Command(), Args: r.Args, Env: r.Env, Registry: mark}
			a.ID = s.registryID(now, r.ID)
			agentID = a.ID
			now.Agents = append(now.Agents, a)
		}
		return nil
	})
	if err == nil {
		s.agents.Refresh(s.ctx)
	}
	return agentID, err
}

// registryID is the registry's id where no agent that is here has it.
func (s *Service) registryID(now *settings.Settings, id string) string {
	own := slices.ContainsFunc(now.Agents, func(a settings.Agent) bool { return a.ID == id })
	here := slices.ContainsFunc(s.agents.Agents(), func(c agent.Config) bool { return c.ID == id })
	if !own && !here && id != settings.GuideID {
		return id
	}
	return s.freeID(now, id)
}

// freeName is the name, marked where an agent that is here has it already.
func (s *Service) freeName(name string) string {
	if slices.ContainsFunc(s.agents.Agents(), func(c agent.Config) bool { return c.Name == name }) {
		return name + " (registry)"
	}
	return name
}

// mergeArgs gives the arguments of the new version, or the person's if they have changed them.
func mergeArgs(base, mine, next []string) []string {
	if slices.Equal(base, mine) {
		return slices.Clone(next)
	}
	return mine
}

// mergeEnv takes over what the new version changes, and keeps what the person has added, changed or removed.
func mergeEnv(base, mine, next map[string]string) map[string]string {
	out := maps.Clone(mine)
	if out == nil {
		out = map[string]string{}
	}
	for key, value := range next {
		was, had := base[key]
		now, has := mine[key]
		if !had && !has || has && had && now == was {
			out[key] = value
		}
	}
	for key, was := range base {
		if _, stays := next[key]; !stays && out[key] == was {
			delete(out, key)
		}
	}
	return out
}

// CancelInstall calls an installation off and waits until nothing of it is left.
func (s *Service) CancelInstall(ctx context.Context, req RegistryAgentRef) (none, error) {
	job := s.installs.running(req.ID)
	if job == nil {
		return none{}, nil
	}
	job.cancel()
	select {
	case <-job.done:
		return none{}, nil
	case <-ctx.Done():
		return none{}, ctx.Err()
	}
}

// DismissInstall forgets how an installation has ended.
func (s *Service) DismissInstall(_ context.Context, req RegistryAgentRef) (none, error) {
	s.installs.mu.Lock()
	if job := s.installs.jobs[req.ID]; job != nil && !job.active() {
		delete(s.installs.jobs, req.ID)
	}
	s.installs.mu.Unlock()
	s.publishInstalls()
	return none{}, nil
}

// RemoveInstalledAgent takes the agents that run from an installed one out of the settings and deletes its
// folder. Spaces stay. What runs is not ended unless the request says so: error in_use.
func (s *Service) RemoveInstalledAgent(ctx context.Context, req RemoveInstalledRequest) (none, error) {
	if s.installs.running(req.ID) != nil {
		return none{}, &Error{Code: install.CodeBusy, Message: "This agent is being installed. Cancel that first."}
	}
	uses := s.runs.Uses(func(c agent.Config) bool { return s.owned(c.Command, req.ID) })
	if len(uses) > 0 && !req.Stop {
		return none{}, s.inUse(ctx, uses)
	}
	for _, space := range uses {
		if err := s.runs.Drop(ctx, space); err != nil {
			return none{}, err
		}
		s.spaceChanged(space)
	}
	var gone []string
	err := s.settings.Update(func(now *settings.Settings) error {
		gone = nil
		now.Agents = slices.DeleteFunc(now.Agents, func(a settings.Agent) bool {
			mine := s.owned(a.Command, req.ID)
			if mine && now.DefaultAgent == a.ID {
				now.DefaultAgent = settings.GuideID
			}
			if mine {
				gone = append(gone, a.ID)
			}
			return mine
		})
		return nil
	})
	if err != nil {
		return none{}, err
	}
	for _, id := range gone {
		if err := s.runs.ForgetUnasked(ctx, id); err != nil {
			return none{}, err
		}
	}
	s.agents.Refresh(s.ctx)
	s.installs.mu.Lock()
	delete(s.installs.jobs, req.ID)
	s.installs.mu.Unlock()
	for _, r := range s.installer.Installed() {
		if r.ID != req.ID {
			continue
		}
		if err = s.installer.Remove(r); err != nil {
			break
		}
	}
	s.publishInstalls()
	s.publishRegistry()
	return none{}, err
}

func (s *Service) owned(command, id string) bool {
	owner, ok := s.installer.Owner(command)
	return ok && owner == id
}

func (s *Service) inUse(ctx context.Context, spaces []string) error {
	titles := make([]string, 0, len(spaces))
	for _, id := range spaces {
		if sp, err := s.space(ctx, id); err == nil {
			titles = append(titles, sp.Title)
		}
	}
	slices.Sort(titles)
	return &Error{Code: "in_use", Message: "The agent is running. Removing it ends what it does.", Detail: strings.Join(titles, "\n")}
}

// retireUnused marks installed agents that no agent of the settings runs from.
func (s *Service) retireUnused() {
	if s.settings.Problem() != nil {
		return // what the person means is not known
	}
	for _, r := range s.installer.Installed() {
		if s.referenced(r) || s.installs.running(r.ID) != nil {
			continue
		}
		if err := s.installer.Retire(r); err != nil {
			s.opt.Log.Warn().Err(err).Str("folder", r.Folder).Msg("an installed agent could not be marked as removed")
		}
	}
}

func (s *Service) referenced(r install.Record) bool {
	return slices.ContainsFunc(s.settings.Get().Agents, func(a settings.Agent) bool { return r.Holds(a.Command) })
}

// tidyAgents removes what installs have left half, and installed agents that nothing runs from any more. What still runs
// is looked at again later.
func (s *Service) tidyAgents() {
	if err := s.installer.Sweep(); err != nil {
		s.opt.Log.Warn().Err(err).Msg("what was left of an installation could not be removed")
	}
	if s.removeRetired() {
		return
	}
	s.installs.mu.Lock()
	already := s.installs.tidying
	s.installs.tidying = true
	s.installs.mu.Unlock()
	if already {
		return
	}
	s.tasks.Go(func() {
		tick := time.NewTicker(tidyEvery)
		defer tick.Stop()
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-tick.C:
			}
			if s.removeRetired() {
				s.installs.mu.Lock()
				s.installs.tidying = false
				s.installs.mu.Unlock()
				return
			}
		}
	})
}

// removeRetired reports whether nothing is left that is to be removed.
func (s *Service) removeRetired() bool {
	if s.settings.Problem() != nil {
		return true
	}
	clean := true
	for _, r := range s.installer.Installed() {
		if !r.Retired || s.referenced(r) || s.installs.running(r.ID) != nil {
			continue
		}
		if len(s.runs.Uses(func(c agent.Config) bool { return r.Holds(c.Command) })) > 0 {
			clean = false
			continue
		}
		if err := s.installer.Remove(r); err != nil {
			s.opt.Log.Warn().Err(err).Str("folder", r.Folder).Msg("an installed agent could not be removed")
		}
	}
	return clean
}
