package agents

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"weft/backend/agent/failure"
	"weft/backend/agent/registry"
	"weft/backend/agent/registry/install"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// Ages at which reading the list refreshes it; after a failure it is sooner.
const (
	listAge  = 6 * time.Hour
	retryAge = 5 * time.Minute
)

// Registry returns the list of agents that can be installed. It blocks only to find npm and uv on this machine. If the
// list is old, it starts a refresh in the background, and the event `registry` reports its end.
func (s *Installs) Registry(ctx context.Context, _ command.None) (RegistryList, error) {
	if now := s.registry.Listing(); now.Source != registry.Shipped && s.work.Context().Err() == nil && s.refresh.due(now) {
		s.refresh.running.Add(1)
		s.work.Go(func() {
			_, err := s.registry.Refresh(s.work.Context())
			s.refresh.running.Add(-1)
			if err != nil && s.work.Context().Err() == nil {
				s.log.Warn().Err(err).Msg("the registry could not be refreshed")
			}
			s.listChanged()
		})
	}
	return s.list(ctx), nil
}

// RefreshRegistry requests the list from the source and blocks for at most 20 s. A failure is not an error of the
// command: the list stays, and its `failure` has the reason.
func (s *Installs) RefreshRegistry(ctx context.Context, _ command.None) (RegistryList, error) {
	s.refresh.note(s.registry.Listing().Source)
	s.refresh.running.Add(1)
	_, err := s.registry.Refresh(ctx)
	s.refresh.running.Add(-1)
	if err != nil {
		s.log.Warn().Err(err).Msg("the registry could not be refreshed")
	}
	s.listChanged()
	return s.list(ctx), nil
}

func (s *Installs) list(ctx context.Context) RegistryList {
	refreshing, jobs := s.refresh.running.Load() > 0, s.jobs.list() // read before what they change
	listing := s.registry.Listing()
	view := RegistryList{
		Source: listing.Source, Shipped: listing.Shipped(), FetchedAt: millis(listing.FetchedAt), CheckedAt: millis(listing.CheckedAt),
		Refreshing: refreshing, Platform: registry.Platform(), Folder: s.folder,
		Agents: make([]RegistryAgent, 0, len(listing.Agents)), Broken: listing.Broken, Installs: jobs,
	}
	if listing.Failure != nil {
		view.Failure = shown(listing.Failure)
	}
	missing := map[string]string{}
	for _, tool := range []string{"npm", "uv"} {
		if _, err := s.installer.Tool(ctx, tool); err != nil {
			missing[tool] = tool
		}
	}
	here := s.installedAgents()
	for _, e := range listing.Agents {
		a := RegistryAgent{Entry: e, Revision: e.Revision(), Platforms: e.Platforms(), Ways: ways(e, missing)}
		a.Targets = []registry.Target{} // they are in Ways
		if a.Platforms == nil {
			a.Platforms = []string{}
		}
		if info, ok := here[e.ID]; ok {
			info.Update = registry.Newer(e.Version, info.Version)
			a.Installed = &info
			delete(here, e.ID)
		}
		view.Agents = append(view.Agents, a)
	}
	for id, info := range here {
		view.Agents = append(view.Agents, gone(id, info))
	}
	slices.SortStableFunc(view.Agents, func(a, b RegistryAgent) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return view
}

// shown converts an error for the user. It doesn't suggest to retry.
func shown(err error) *transcript.Failure {
	f := failure.Of(err)
	return &transcript.Failure{Code: f.Code, Message: f.Message, Detail: f.Detail, Said: f.Said}
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// gone returns an installed agent that is no longer in the list.
func gone(id string, info InstalledInfo) RegistryAgent {
	name := id
	if len(info.Agents) > 0 {
		name = info.Agents[0].Name
	}
	return RegistryAgent{
		Entry:     registry.Entry{ID: id, Name: name, Version: info.Version, Authors: []string{}, Targets: []registry.Target{}, Problems: []string{}},
		Platforms: []string{}, Ways: []RegistryWay{}, Installed: &info, Gone: true,
	}
}

func ways(e registry.Entry, missing map[string]string) []RegistryWay {
	list := []RegistryWay{}
	for _, t := range e.For(registry.Platform()) {
		w := RegistryWay{Kind: t.Kind, SHA256: t.SHA256, Args: t.Args, Env: t.Env, Install: []string{}, Origin: t.Origin()}
		switch t.Kind {
		case registry.KindBinary:
			w.Program = t.Cmd
		case registry.KindNPX:
			w.Install, w.Program, w.Missing = []string{"npm", "install", "--ignore-scripts", w.Origin}, t.Package, missing["npm"]
		case registry.KindUVX:
			w.Install, w.Program, w.Missing = []string{"uv", "tool", "install", "--no-build", w.Origin}, t.Package, missing["uv"]
		}
		list = append(list, w)
	}
	// Ways that need a missing program come last.
	slices.SortStableFunc(list, func(a, b RegistryWay) int { return cmp.Compare(len(a.Missing), len(b.Missing)) })
	return list
}

// installedAgents returns the agents in the settings that run from Weft's folder, by the registry's id.
func (s *Installs) installedAgents() map[string]InstalledInfo {
	here := map[string]InstalledInfo{}
	for _, a := range s.settings.Get().Agents {
		id, ok := s.installer.Owner(a.Command)
		if !ok {
			continue
		}
		info, known := here[id]
		if !known {
			r, ok := s.installer.Record(a.Command)
			info = InstalledInfo{
				Version: r.Version, Kind: r.Kind, Origin: r.Origin, SHA256: r.SHA256, Vouched: r.Vouched, Bytes: r.Bytes,
				Folder: r.Folder, InstalledAt: r.InstalledAt, Warning: r.Warning, Broken: !ok, Agents: []AgentName{},
			}
			if !ok && a.Registry != nil {
				info.Version = a.Registry.Version
			}
		}
		info.Agents = append(info.Agents, AgentName{ID: a.ID, Name: cmp.Or(a.Name, a.ID), Command: a.Command})
		here[id] = info
	}
	return here
}

// DownloadSize requests the size of an agent's download. It blocks for at most 10 s.
func (s *Installs) DownloadSize(ctx context.Context, req InstallAgentRequest) (DownloadSizeResult, error) {
	_, t, local, err := s.wanted(req)
	if err != nil || t.Kind != registry.KindBinary {
		return DownloadSizeResult{}, err
	}
	return DownloadSizeResult{Bytes: install.Size(ctx, t.Archive, local)}, nil
}

// wanted returns the entry that a request names, if it is unchanged since the user saw it.
func (s *Installs) wanted(req InstallAgentRequest) (e registry.Entry, t registry.Target, local bool, err error) {
	listing := s.registry.Listing()
	e, ok := listing.Find(req.ID)
	if !ok {
		return e, t, false, fault.New(fault.NotFound, "The registry no longer lists this agent. Refresh the list.")
	}
	if e.Revision() != req.Revision {
		return e, t, false, fault.New("changed", "The registry entry has changed for {{name}}. Review it again before you install it.", e.Name)
	}
	for _, t := range e.For(registry.Platform()) {
		if t.Kind == req.Kind {
			return e, t, listing.Local, nil
		}
	}
	return e, t, false, fault.New(install.CodeUnsupported, "{{name}} has nothing to install for this machine ({{registry}}).", e.Name, registry.Platform())
}
