package agentproc

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agent/sandbox"
	"weft/backend/llm/modelproxy"
	"weft/backend/settings/secret"
)

// proxied reports whether an agent uses the model proxy: if the user has turned it on or, without a setting, if its
// variables allow it. An agent without a network uses none. The process of such an agent serves only one session,
// because a model's response doesn't tell to which session it belongs.
func proxied(config agent.Config, folder string, plan *sandbox.Plan) bool {
	switch {
	case config.Own() || plan != nil && plan.Offline:
		return false
	case config.ModelProxy == nil:
		return len(Leads(config, folder)) > 0
	}
	return !config.ModelProxy.Off
}

// Leads returns the names of the environment variables that direct an agent to the model proxy, sorted. There are none
// if neither its variables nor its configuration contain a key or an address, for instance if it is signed in with a
// subscription. folder is the space's folder. It reads small files.
func Leads(config agent.Config, folder string) []string {
	env := maps.Clone(config.Env)
	if env == nil {
		env = map[string]string{}
	}
	for name := range config.Secrets {
		env[name] = "kept" // a key that is there counts, and its value doesn't
	}
	return slices.Sorted(maps.Keys(leads(config, folder, env, func(upstream string) (string, error) { return upstream, nil })))
}

// leads returns the variables that make an agent with the environment env use other addresses for its models. route
// returns the replacement of each address.
func leads(config agent.Config, folder string, env map[string]string, route func(upstream string) (string, error)) map[string]string {
	get, known := looksUp(env), Known(config)
	var more []string
	if config.ModelProxy != nil {
		more = config.ModelProxy.Variables
	}
	changed := map[string]string{}
	for name, upstream := range modelproxy.Variables(known, get, slices.Collect(maps.Keys(env)), more) {
		if base, err := route(upstream); err == nil {
			changed[name] = base
		}
	}
	if known == "opencode" {
		if name, content := modelproxy.OpenCode(get, config.Dir(folder), route); content != "" {
			changed[name] = content
		}
	}
	return changed
}

// openTunnel opens the process's tunnel to its models, if it uses the model proxy. end closes it.
func (p *Process) openTunnel() (end func()) {
	opt := &p.pool.opt
	if !p.proxied {
		return func() {}
	}
	t, err := opt.ModelProxy.Open(append(os.Environ(), pairsOf(p.config.Env)...), p.observe)
	if err != nil {
		opt.Log.Error().Err(err).Str("agent", p.config.ID).Msg("an agent goes without the model proxy")
		return func() {}
	}
	hide := opt.Secrets.Redactor()
	hide.Add(t.Token())
	p.tunnel = t
	return func() {
		t.Close()
		hide.Remove(t.Token()) // it is no longer valid
	}
}

// observe passes a part of the model's response to the process's only session.
func (p *Process) observe(e modelproxy.Event) {
	for _, s := range p.sessions() {
		s.Observe(e)
	}
}

func pairsOf(env map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// looksUp returns a function that looks up variables like an agent with the environment env.
func looksUp(env map[string]string) func(name string) string {
	return func(name string) string {
		if value, own := env[name]; own {
			return value
		}
		return secret.Getenv(name)
	}
}

// rerouted returns an agent's environment with the addresses of its models replaced by those of the proxy.
func (p *Pool) rerouted(config agent.Config, folder string, env map[string]string, through *modelproxy.Tunnel) map[string]string {
	env = maps.Clone(env)
	if env == nil {
		env = map[string]string{}
	}
	changed := leads(config, folder, env, through.Route)
	maps.Copy(changed, modelproxy.Direct(looksUp(env)))
	maps.Copy(env, changed)
	p.opt.Log.Info().Str("agent", config.ID).Strs("variables", slices.Sorted(maps.Keys(changed))).Msg("the model proxy's address was put into these variables of an agent")
	return env
}

// reroute configures the proxy in an agent that supports providers/set, if its environment wasn't enough because a
// script or a file of its own sets another address. This replaces the agent's own login, so it is done only with a key
// that the agent would have used there, or if the model is on this machine. It is called after the agent is
// initialized, before it is ready.
func (p *Process) reroute(ctx context.Context) {
	opt := &p.pool.opt
	about, err := p.About()
	if p.tunnel == nil || err != nil || !about.Capabilities.Providers {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, opt.Limits.Initialize)
	defer cancel()
	list, err := p.conn.Providers(ctx)
	if err != nil {
		opt.Log.Debug().Err(err).Str("agent", p.config.ID).Msg("an agent does not tell its providers")
		return
	}
	for _, provider := range list {
		headers, ok := p.keysFor(ctx, provider)
		if !ok || p.tunnel.Routes(provider.BaseURL) {
			continue
		}
		base, err := p.tunnel.Route(provider.BaseURL)
		if err != nil {
			continue
		}
		provider.BaseURL = base
		if err := p.conn.SetProvider(ctx, provider, headers); err != nil {
			opt.Log.Warn().Err(err).Str("agent", p.config.ID).Msg("an agent was not given the model proxy")
		}
	}
}

// keysFor returns the headers with the agent's own key for a provider. ok is false if the agent must keep its own
// access to the model.
func (p *Process) keysFor(ctx context.Context, provider acp.Provider) (headers map[string]string, ok bool) {
	env, err := p.pool.Environment(ctx, p.config)
	if err != nil {
		return nil, false
	}
	get, hide := looksUp(env), p.pool.opt.Secrets.Redactor()
	if provider.APIType == "anthropic" { // this agent sends its key wherever its models are
		if key := get("ANTHROPIC_API_KEY"); key != "" {
			hide.Add(key)
			return map[string]string{"x-api-key": key}, true
		}
		if token := get("ANTHROPIC_AUTH_TOKEN"); token != "" {
			hide.Add(token)
			return map[string]string{"Authorization": "Bearer " + token}, true
		}
	}
	return nil, modelproxy.Loopback(provider.BaseURL)
}

// CatchUp waits up to a second until the traffic through the model proxy has been parsed.
func (p *Process) CatchUp() {
	if p.tunnel != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		p.tunnel.CatchUp(ctx)
	}
}
