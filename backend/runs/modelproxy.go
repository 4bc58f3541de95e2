package runs

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/modelproxy"
	"weft/backend/sandbox"
	"weft/backend/secret"
)

// proxied reports whether an agent reaches its models through the model proxy. Where it has no network it reaches none. Its process
// serves one session then, since an answer of a model does not tell which one it is for.
func proxied(config agent.Config, plan *sandbox.Plan) bool {
	return config.ModelProxy != nil && !config.Own() && (plan == nil || !plan.Offline)
}

// openTunnel gives the host its way to the models, if the user has chosen that. end closes it.
func (h *host) openTunnel(plan *sandbox.Plan) (end func()) {
	if h.m.opt.ModelProxy == nil || !proxied(h.config, plan) {
		return func() {}
	}
	t, err := h.m.opt.ModelProxy.Open(append(os.Environ(), pairsOf(h.config.Env)...), h.overheard)
	if err != nil {
		h.m.opt.Log.Error().Err(err).Str("agent", h.config.ID).Msg("an agent goes without the model proxy")
		return func() {}
	}
	hide := h.m.redactor()
	hide.Add(t.Token())
	h.tunnel = t
	return func() {
		t.Close()
		hide.Remove(t.Token()) // nothing can be done with it any more
	}
}

func pairsOf(env map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// looksUp looks variables up as an agent with these of its own does.
func looksUp(env map[string]string) func(name string) string {
	return func(name string) string {
		if value, own := env[name]; own {
			return value
		}
		return secret.Getenv(name)
	}
}

// rerouted is an agent's environment with the proxy's addresses in place of those of its models.
func (m *Manager) rerouted(config agent.Config, folder string, env map[string]string, through *modelproxy.Tunnel) map[string]string {
	env = maps.Clone(env)
	if env == nil {
		env = map[string]string{}
	}
	get, known := looksUp(env), homeOf(config)
	found := modelproxy.Variables(known, get, slices.Collect(maps.Keys(env)), config.ModelProxy.Variables)
	changed := map[string]string{}
	for name, upstream := range found {
		if base, err := through.Route(upstream); err == nil {
			changed[name] = base
		}
	}
	if known == "opencode" {
		if name, content := modelproxy.OpenCode(get, config.Dir(folder), through.Route); content != "" {
			changed[name] = content
		}
	}
	maps.Copy(changed, modelproxy.Direct(get))
	maps.Copy(env, changed)
	m.opt.Log.Info().Str("agent", config.ID).Strs("variables", slices.Sorted(maps.Keys(changed))).Msg("the model proxy's address was put into these variables of an agent")
	return env
}

// reroute tells an agent that can be told where its models are (providers/set) to use the proxy, where its environment was not enough: a
// script or a file of its own has set another address. That takes the place of the agent's own login, so it is done only with a key that the agent
// would have used there, or where the model is on this machine. It is called when the agent is initialized, before it is ready.
func (h *host) reroute(ctx context.Context) {
	caps, err := h.about()
	if h.tunnel == nil || err != nil || !caps.Capabilities.Providers {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, h.m.opt.Limits.Initialize)
	defer cancel()
	list, err := h.conn.Providers(ctx)
	if err != nil {
		h.m.opt.Log.Debug().Err(err).Str("agent", h.config.ID).Msg("an agent does not tell its providers")
		return
	}
	for _, p := range list {
		headers, ok := h.keysFor(ctx, p)
		if !ok || h.tunnel.Routes(p.BaseURL) {
			continue
		}
		base, err := h.tunnel.Route(p.BaseURL)
		if err != nil {
			continue
		}
		p.BaseURL = base
		if err := h.conn.SetProvider(ctx, p, headers); err != nil {
			h.m.opt.Log.Warn().Err(err).Str("agent", h.config.ID).Msg("an agent was not given the model proxy")
		}
	}
}

// keysFor are the headers with the agent's own key for a provider. ok is false where the agent keeps its own way to the model.
func (h *host) keysFor(ctx context.Context, p acp.Provider) (headers map[string]string, ok bool) {
	env, err := h.m.environment(ctx, h.config)
	if err != nil {
		return nil, false
	}
	get := looksUp(env)
	if p.APIType == "anthropic" { // this agent sends its key wherever its models are
		if key := get("ANTHROPIC_API_KEY"); key != "" {
			h.m.redactor().Add(key)
			return map[string]string{"x-api-key": key}, true
		}
		if token := get("ANTHROPIC_AUTH_TOKEN"); token != "" {
			h.m.redactor().Add(token)
			return map[string]string{"Authorization": "Bearer " + token}, true
		}
	}
	return nil, modelproxy.Loopback(p.BaseURL)
}

// caughtUp waits a moment until what has passed through the model proxy is read.
func (l *link) caughtUp() {
	if t := l.host.tunnel; t != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		t.CatchUp(ctx)
	}
}
