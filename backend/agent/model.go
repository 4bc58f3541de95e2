package agent

import (
	"cmp"

	"weft/backend/base/beside"
	"weft/backend/llm/provider"
	"weft/backend/settings"
)

// WithModel makes c an entry for the built-in agent with a model. The agent's path is determined on each call, so that
// the entry survives an update that moves the app.
func WithModel(c Config, m settings.Model) Config {
	p, _ := provider.ByID(m.Provider) // the agent reports an unknown provider
	path, args, err := beside.Agent()
	c.Model, c.Command, c.Args, c.OlderArgs = &m, path, append(args, modelArgs(m)...), nil
	c.Installed, c.InstallHint, c.Homepage = err == nil, "", ""
	c.Description = cmp.Or(m.Model, p.Model) + " · " + p.Where(m.BaseURL)
	return c
}

// modelArgs returns the arguments of the built-in agent for a model.
func modelArgs(m settings.Model) []string {
	args := []string{"--provider", m.Provider}
	for _, f := range []struct{ flag, value string }{{"--model", m.Model}, {"--base-url", m.BaseURL}, {"--api", m.API}} {
		if f.value != "" {
			args = append(args, f.flag, f.value)
		}
	}
	return args
}

// WeftsKeys returns the variables with the provider's keys that the agent may get from Weft's own environment. A model
// at another address doesn't get them, because they aren't meant for it.
func (c Config) WeftsKeys() []string {
	if c.Model == nil {
		return nil
	}
	p, ok := provider.ByID(c.Model.Provider)
	if !ok || p.Compatible(c.Model.BaseURL) {
		return nil
	}
	return p.KeyVariables()
}
