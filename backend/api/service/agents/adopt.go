package agents

import (
	"cmp"
	"maps"
	"slices"

	"weft/backend/agent"
	"weft/backend/agent/registry/install"
	"weft/backend/settings"
)

// adopt adds an installed agent to the settings, or switches the agents that run from an earlier version to it.
func (s *Installs) adopt(r install.Record) (agentID string, err error) {
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
			a.ID = s.freeID(now, r.ID)
			agentID = a.ID
			now.Agents = append(now.Agents, a)
		}
		return nil
	})
	if err == nil {
		s.agents.Refresh(s.work.Context())
	}
	return agentID, err
}

// freeID returns the registry's id if no other agent has it, else a variant.
func (s *Installs) freeID(now *settings.Settings, id string) string {
	own := slices.ContainsFunc(now.Agents, func(a settings.Agent) bool { return a.ID == id })
	here := slices.ContainsFunc(s.agents.Agents(), func(c agent.Config) bool { return c.ID == id })
	if !own && !here && id != settings.GuideID {
		return id
	}
	return freeID(now, s.agents, id)
}

// freeName returns the name, with a suffix if another agent has it.
func (s *Installs) freeName(name string) string {
	if slices.ContainsFunc(s.agents.Agents(), func(c agent.Config) bool { return c.Name == name }) {
		return name + " (registry)"
	}
	return name
}

// mergeArgs returns the arguments of the new version, or the user's if the user changed them.
func mergeArgs(base, mine, next []string) []string {
	if slices.Equal(base, mine) {
		return slices.Clone(next)
	}
	return mine
}

// mergeEnv applies the changes of the new version and keeps the user's.
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
