package agent

import (
	"cmp"
	"maps"
	"os"

	"weft/backend/llm/provider"
	"weft/backend/settings"
)

// WithModel makes of an agent what is started for a model: Weft itself. Where that is, is looked up each
// time, so that the entry survives an update that moves the app.
func WithModel(c Config, m settings.Model) Config {
	p, _ := provider.ByID(m.Provider) // a provider that is not known is said by the agent
	exe, err := os.Executable()
	c.Model, c.Command, c.Args, c.OlderArgs = &m, exe, ModelArgs(m), nil
	c.Installed, c.InstallHint, c.Homepage = err == nil, "", ""
	c.Description = cmp.Or(m.Model, p.Model) + " · " + p.Where(m.BaseURL)
	return c
}

// ModelArgs are the arguments of Weft's executable that make it an agent with a model.
func ModelArgs(m settings.Model) []string {
	args := []string{"agent", "--provider", m.Provider}
	for _, f := range []struct{ flag, value string }{{"--model", m.Model}, {"--base-url", m.BaseURL}, {"--api", m.API}} {
		if f.value != "" {
			args = append(args, f.flag, f.value)
		}
	}
	return args
}

// Variables are the agent's own environment variables without its secrets. At somebody else's address a model does
// not get the provider's key that the app's environment may hold: that key is not meant for them.
func (c Config) Variables() map[string]string {
	if c.Model == nil {
		return c.Env
	}
	p, ok := provider.ByID(c.Model.Provider)
	if _, own := c.Env[p.KeyEnv]; !ok || p.KeyEnv == "" || own || !p.Compatible(c.Model.BaseURL) {
		return c.Env
	}
	env := maps.Clone(c.Env)
	if env == nil {
		env = map[string]string{}
	}
	env[p.KeyEnv] = ""
	return env
}
