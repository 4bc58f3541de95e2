package agent

import (
	"cmp"

	"weft/backend/beside"
	"weft/backend/llm/provider"
	"weft/backend/settings"
)

// WithModel makes of an agent what is started for a model: the built-in agent. Where that is, is looked up each
// time, so that the entry survives an update that moves the app.
func WithModel(c Config, m settings.Model) Config {
	p, _ := provider.ByID(m.Provider) // a provider that is not known is said by the agent
	path, args, err := beside.Agent()
	c.Model, c.Command, c.Args, c.OlderArgs = &m, path, append(args, modelArgs(m)...), nil
	c.Installed, c.InstallHint, c.Homepage = err == nil, "", ""
	c.Description = cmp.Or(m.Model, p.Model) + " · " + p.Where(m.BaseURL)
	return c
}

// modelArgs are the arguments of the built-in agent for a model.
func modelArgs(m settings.Model) []string {
	args := []string{"--provider", m.Provider}
	for _, f := range []struct{ flag, value string }{{"--model", m.Model}, {"--base-url", m.BaseURL}, {"--api", m.API}} {
		if f.value != "" {
			args = append(args, f.flag, f.value)
		}
	}
	return args
}

// WeftsKeys are the variables of the keys of its provider that the agent may have from Weft's own environment. At
// someone else's address a model does not get them: they are not meant for them.
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
