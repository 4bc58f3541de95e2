package agents

import (
	"slices"
	"time"

	"weft/backend/agent"
	"weft/backend/agent/registry/install"
	"weft/backend/settings"
)

// tidyEvery is the time between attempts to remove files.
const tidyEvery = 10 * time.Second

// retireUnused marks installs that no agent in the settings runs from.
func (s *Installs) retireUnused() {
	if s.settings.Problem() != nil {
		return // the user's choice is unknown
	}
	for _, r := range s.installer.Installed() {
		if s.referenced(r) || s.jobs.running(r.ID) != nil {
			continue
		}
		if err := s.installer.Retire(r); err != nil {
			s.log.Warn().Err(err).Str("folder", r.Folder).Msg("an installed agent could not be marked as removed")
		}
	}
}

func (s *Installs) referenced(r install.Record) bool {
	return slices.ContainsFunc(s.settings.Get().Agents, func(a settings.Agent) bool { return r.Holds(a.Command) })
}

// Tidy removes the files of incomplete installs, and installs that nothing runs from anymore. It tries running ones
// again later.
func (s *Installs) Tidy() {
	if err := s.installer.Sweep(); err != nil {
		s.log.Warn().Err(err).Msg("what was left of an installation could not be removed")
	}
	if s.removeRetired() {
		return
	}
	if s.tidying.Swap(true) {
		return
	}
	s.work.Go(func() {
		tick := time.NewTicker(tidyEvery)
		defer tick.Stop()
		for {
			select {
			case <-s.work.Context().Done():
				return
			case <-tick.C:
			}
			if s.removeRetired() {
				s.tidying.Store(false)
				return
			}
		}
	})
}

// removeRetired reports whether nothing is left to remove.
func (s *Installs) removeRetired() bool {
	if s.settings.Problem() != nil {
		return true
	}
	clean := true
	for _, r := range s.installer.Installed() {
		if !r.Retired || s.referenced(r) || s.jobs.running(r.ID) != nil {
			continue
		}
		if len(s.runs.Uses(func(c agent.Config) bool { return r.Holds(c.Command) })) > 0 {
			clean = false
			continue
		}
		if err := s.installer.Remove(r); err != nil {
			s.log.Warn().Err(err).Str("folder", r.Folder).Msg("an installed agent could not be removed")
		}
	}
	return clean
}
