package agents

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/registry"
	"weft/backend/agent/registry/install"
	"weft/backend/api/service/jobs"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/settings"
	"weft/backend/space/runs"
	"weft/backend/store"
)

// InstallOptions configures [NewInstalls].
type InstallOptions struct {
	Store        *store.Store
	Settings     *settings.File
	Agents       *agent.Registry
	Runs         *runs.Manager
	Work         *jobs.Work
	DataDir      string
	Log          zerolog.Logger
	ListChanged  func() // called after the list or the installed agents have changed
	JobsChanged  func() // called after [Installs.Jobs] has changed
	SpaceChanged func(spaceID string)
}

// Installs has the list of agents that can be installed, and the installs.
type Installs struct {
	store        *store.Store
	settings     *settings.File
	agents       *agent.Registry
	runs         *runs.Manager
	registry     *registry.Room
	installer    *install.Installer
	work         *jobs.Work
	log          zerolog.Logger
	listChanged  func()
	jobsChanged  func()
	spaceChanged func(spaceID string)

	jobs    installJobs
	folder  string // where agents are installed
	refresh refreshes
	tidying atomic.Bool // some files could not be removed yet
}

// NewInstalls returns installs with none in progress.
func NewInstalls(opt InstallOptions) *Installs {
	folder := filepath.Join(opt.DataDir, "agents")
	s := &Installs{
		store: opt.Store, settings: opt.Settings, agents: opt.Agents, runs: opt.Runs, work: opt.Work, log: opt.Log,
		installer:   install.New(install.Options{Dir: folder, PidDir: agentproc.PidDir(opt.DataDir), Answers: filepath.Join(opt.DataDir, "install-answers")}),
		listChanged: opt.ListChanged, jobsChanged: opt.JobsChanged, spaceChanged: opt.SpaceChanged, jobs: installJobs{byID: map[string]*installJob{}},
		folder: folder, refresh: refreshes{source: opt.Settings.Get().Registry},
	}
	s.registry = registry.NewRoom(filepath.Join(opt.DataDir, "registry.json"), func() string { return opt.Settings.Get().Registry }, time.Now)
	return s
}

// Jobs returns the installs in progress, and ended ones that the user has not dismissed.
func (s *Installs) Jobs() []Install { return s.jobs.list() }

// SettingsChanged handles new settings, which may name another source of the list.
func (s *Installs) SettingsChanged(now settings.Settings) {
	if s.refresh.sourceChanged(now.Registry) {
		s.listChanged()
	}
}

// InstallAgent starts installing or updating an agent and doesn't wait for the end. The event `installs` reports the
// progress, questions to confirm, and the end. Errors: changed if `revision` is no longer the current entry, installed,
// busy.
func (s *Installs) InstallAgent(_ context.Context, req InstallAgentRequest) (command.None, error) {
	e, t, local, err := s.wanted(req)
	if err != nil {
		return command.None{}, err
	}
	if p := s.settings.Problem(); p != nil {
		return command.None{}, settings.Refused(p)
	}
	info, update := s.installedAgents()[e.ID]
	if update && !info.Broken && info.Version == e.Version {
		return command.None{}, fault.New("installed", "{{name}} {{version}} is already installed.", e.Name, e.Version)
	}
	ctx, cancel := context.WithCancel(s.work.Context())
	one, ok := s.jobs.begin(Install{
		ID: e.ID, Name: e.Name, Version: e.Version, Update: update, State: "running", StartedAt: time.Now().UnixMilli(),
	}, cancel)
	if !ok {
		cancel()
		return command.None{}, fault.New(install.CodeBusy, "{{name}} is already being installed.", e.Name)
	}
	s.jobsChanged()
	s.work.Go(func() {
		defer close(one.done)
		defer cancel()
		s.run(ctx, one, e, t, local, req)
	})
	return command.None{}, nil
}

func (s *Installs) run(ctx context.Context, one *installJob, e registry.Entry, t registry.Target, local bool, req InstallAgentRequest) {
	r, err := s.installer.Install(ctx, e, t, local, func(p install.Progress) {
		if s.jobs.note(one, func(o *installJob) {
			v := &o.view
			v.Step, v.Done, v.Total, v.Line = string(p.Step), p.Done, p.Total, cmp.Or(p.Line, v.Line)
		}) {
			s.jobsChanged()
		}
	}, func(ctx context.Context, q install.Question) (bool, error) { return s.ask(ctx, one, q, req) })
	var agentID string
	if err == nil {
		agentID, err = s.adopt(r)
		if err != nil {
			_ = s.installer.Remove(r)
		}
	}
	s.jobs.note(one, func(o *installJob) {
		v := &o.view
		v.State, v.SHA256, v.Vouched, v.AgentID = "done", r.SHA256, r.Vouched, agentID
		if err == nil {
			return
		}
		v.State, v.Failure = "failed", shown(err)
		if v.Failure.Code == install.CodeCancelled {
			v.State, v.Failure = "cancelled", nil
		}
	})
	if err != nil {
		s.log.Warn().Err(err).Str("agent", e.ID).Str("version", e.Version).Msg("an agent was not installed")
	} else {
		s.log.Info().Str("agent", e.ID).Str("version", e.Version).Str("kind", string(r.Kind)).Str("sha256", r.SHA256).Msg("an agent was installed")
		s.retireUnused()
		s.Tidy()
	}
	s.jobsChanged()
	s.listChanged()
}

// CancelInstall cancels an install and blocks until its files are removed.
func (s *Installs) CancelInstall(ctx context.Context, req RegistryAgentRef) (command.None, error) {
	one := s.jobs.running(req.ID)
	if one == nil {
		return command.None{}, nil
	}
	one.cancel()
	select {
	case <-one.done:
		return command.None{}, nil
	case <-ctx.Done():
		return command.None{}, ctx.Err()
	}
}

// DismissInstall removes an ended install from the list.
func (s *Installs) DismissInstall(_ context.Context, req RegistryAgentRef) (command.None, error) {
	s.jobs.dismiss(req.ID)
	s.jobsChanged()
	return command.None{}, nil
}

// RemoveInstalledAgent removes the agents that run from an install from the settings and deletes its folder. Spaces
// stay. Error: in_use with the titles of the spaces in which it runs, unless `stop` is set.
func (s *Installs) RemoveInstalledAgent(ctx context.Context, req RemoveInstalledRequest) (command.None, error) {
	if s.jobs.running(req.ID) != nil {
		return command.None{}, fault.New(install.CodeBusy, "This agent is being installed. Cancel that first.")
	}
	uses := s.runs.Uses(func(c agent.Config) bool { return s.owned(c.Command, req.ID) })
	if len(uses) > 0 && !req.Stop {
		return command.None{}, s.inUse(ctx, uses)
	}
	for _, space := range uses {
		if err := s.runs.Drop(ctx, space); err != nil {
			return command.None{}, err
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
		return command.None{}, err
	}
	for _, id := range gone {
		if err := s.runs.Notes().Forget(ctx, id); err != nil {
			return command.None{}, err
		}
	}
	s.agents.Refresh(s.work.Context())
	s.jobs.forget(req.ID)
	for _, r := range s.installer.Installed() {
		if r.ID != req.ID {
			continue
		}
		if err = s.installer.Remove(r); err != nil {
			break
		}
	}
	s.jobsChanged()
	s.listChanged()
	return command.None{}, err
}

func (s *Installs) owned(command, id string) bool {
	owner, ok := s.installer.Owner(command)
	return ok && owner == id
}

func (s *Installs) inUse(ctx context.Context, spaces []string) error {
	titles := make([]string, 0, len(spaces))
	for _, id := range spaces {
		if sp, err := s.store.Spaces.Get(ctx, id); err == nil {
			titles = append(titles, sp.Title)
		}
	}
	slices.Sort(titles)
	return fault.New("in_use", "The agent is running. Removing it stops its work.").With(strings.Join(titles, "\n"))
}
