package service

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/registry"
	"weft/backend/registry/install"
	"weft/backend/settings"
	"weft/backend/transcript"
)

// The list is refreshed by itself when it is looked at and this old; after a failure sooner.
const (
	listAge  = 6 * time.Hour
	retryAge = 5 * time.Minute
)

func (s *Service) openRegistry() {
	s.registry = registry.NewRoom(filepath.Join(s.opt.DataDir, "registry.json"), func() string { return s.settings.Get().Registry }, time.Now)
	s.installer = install.New(install.Options{
		Dir: filepath.Join(s.opt.DataDir, "agents"), PidDir: filepath.Join(s.opt.DataDir, "processes"),
		Answers: filepath.Join(s.opt.DataDir, "install-answers"),
	})
	s.installs.jobs, s.installs.source = map[string]*installJob{}, s.settings.Get().Registry
}

// Registry answers the list that is in force, at once but for the look at what npm and uv are here. If
// the list is old, a refresh begins in the background; the event registry tells when it has ended.
func (s *Service) Registry(ctx context.Context, _ none) (RegistryList, error) {
	if now := s.registry.Listing(); now.Source != registry.Shipped {
		s.mu.Lock()
		wait := listAge
		if now.Failure != nil || now.Shipped() || now.Local {
			wait = retryAge
		}
		asked := s.installs.asked
		if s.installs.askedOf != now.Source {
			asked = time.Time{}
		}
		due := time.Since(now.CheckedAt) > wait && time.Since(asked) > retryAge && s.ctx.Err() == nil
		if due {
			s.installs.asked, s.installs.askedOf = time.Now(), now.Source
		}
		s.mu.Unlock()
		if due {
			s.installs.refreshing.Add(1)
			s.tasks.Go(func() {
				_, err := s.registry.Refresh(s.ctx)
				s.installs.refreshing.Add(-1)
				if err != nil && s.ctx.Err() == nil {
					s.opt.Log.Warn().Err(err).Msg("the registry could not be refreshed")
				}
				s.publishRegistry()
			})
		}
	}
	return s.registryList(ctx), nil
}

// RefreshRegistry asks the source for the list and blocks for 20 s at most. A failure is not an
// error of the command: it stands in the list, which stays what it was.
func (s *Service) RefreshRegistry(ctx context.Context, _ none) (RegistryList, error) {
	s.mu.Lock()
	s.installs.asked, s.installs.askedOf = time.Now(), s.registry.Listing().Source
	s.mu.Unlock()
	s.installs.refreshing.Add(1)
	_, err := s.registry.Refresh(ctx)
	s.installs.refreshing.Add(-1)
	if err != nil {
		s.opt.Log.Warn().Err(err).Msg("the registry could not be refreshed")
	}
	s.publishRegistry()
	return s.registryList(ctx), nil
}

// publishRegistry tells that the list, or what is installed of it, has changed.
func (s *Service) publishRegistry() { s.news.Send(RegistryEvent{}) }

func (s *Service) registryList(ctx context.Context) RegistryList {
	listing := s.registry.Listing()
	view := RegistryList{
		Source: listing.Source, Shipped: listing.Shipped(), FetchedAt: millis(listing.FetchedAt), CheckedAt: millis(listing.CheckedAt),
		Refreshing: s.installs.refreshing.Load() > 0, Platform: registry.Platform(), Folder: filepath.Join(s.opt.DataDir, "agents"),
		Agents: make([]RegistryAgent, 0, len(listing.Agents)), Broken: listing.Broken, Installs: s.installs.list(),
	}
	if listing.Failure != nil {
		code, message, detail := Explain(listing.Failure)
		view.Failure = &transcript.Failure{Code: code, Message: message, Detail: detail}
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
		a.Targets = []registry.Target{} // told as ways
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

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// gone is an installed agent that the list does not have.
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
	// What needs a program that is not here comes last.
	slices.SortStableFunc(list, func(a, b RegistryWay) int { return cmp.Compare(len(a.Missing), len(b.Missing)) })
	return list
}

// installedAgents gives the agents of the settings that run from Weft's own folder, by the registry's id.
func (s *Service) installedAgents() map[string]InstalledInfo {
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

// markOf says which agent of the registry a command belongs to, nil if none.
func (s *Service) markOf(command string) *settings.FromRegistry {
	r, ok := s.installer.Record(command)
	if !ok {
		return nil
	}
	return &settings.FromRegistry{ID: r.ID, Version: r.Version}
}

// DownloadSize asks how large the download of an agent is. It blocks for 10 s at most.
func (s *Service) DownloadSize(ctx context.Context, req InstallAgentRequest) (DownloadSizeResult, error) {
	_, t, local, err := s.wanted(req)
	if err != nil || t.Kind != registry.KindBinary {
		return DownloadSizeResult{}, err
	}
	return DownloadSizeResult{Bytes: install.Size(ctx, t.Archive, local)}, nil
}

// wanted finds what a request names, if the list still has it as the person has seen it.
func (s *Service) wanted(req InstallAgentRequest) (e registry.Entry, t registry.Target, local bool, err error) {
	listing := s.registry.Listing()
	e, ok := listing.Find(req.ID)
	if !ok {
		return e, t, false, &Error{Code: "not_found", Message: "The registry does not list this agent any more. Refresh it."}
	}
	if e.Revision() != req.Revision {
		return e, t, false, &Error{Code: "changed", Message: "The registry has changed what it says about " + e.Name + ". Look at it again before you install it."}
	}
	for _, t := range e.For(registry.Platform()) {
		if t.Kind == req.Kind {
			return e, t, listing.Local, nil
		}
	}
	return e, t, false, &Error{Code: install.CodeUnsupported, Message: e.Name + " has nothing to install for this machine (" + registry.Platform() + ")."}
}
