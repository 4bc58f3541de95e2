package agentproc

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"weft/backend/agent"
	"weft/backend/agent/sandbox"
	"weft/backend/base/fault"
	"weft/backend/llm/modelproxy"
	"weft/backend/settings/secret"
)

// start starts an agent's process with its secrets. If through isn't nil, the agent reaches its models through it. It
// may block on the keychain (see [secret.Options]). Errors: those of [agent.Start], and *Error with a code of package
// secret.
func (p *Pool) start(ctx context.Context, config agent.Config, folder string, plan *sandbox.Plan, through *modelproxy.Tunnel) (*agent.Process, error) {
	env, err := p.Environment(ctx, config)
	if err != nil {
		return nil, err
	}
	if through != nil {
		env = p.rerouted(config, folder, env, through)
	}
	spec := config.Spec(folder, PidDir(p.opt.DataDir))
	spec.Env, spec.Hide, spec.Sandbox = env, p.opt.Secrets.Redactor(), plan
	if config.Own() {
		spec.Env, spec.Secrets = p.apart(config, env)
	}
	return agent.Start(ctx, spec)
}

// Environment returns an agent's own variables with their secrets. It may block on the keychain. Error: *Error with a
// code of package secret.
func (p *Pool) Environment(ctx context.Context, config agent.Config) (map[string]string, error) {
	texts := slices.Concat([]string{config.Command}, config.Args, slices.Sorted(maps.Values(config.Env)))
	if err := secret.Complete(texts...); err != nil {
		return nil, fault.New(cmp.Or(fault.CodeOf(err), "internal"), "{{agent}} couldn't be started. {{reason}}", config.Name, err).Because(err)
	}
	if len(config.Secrets) == 0 {
		return config.Env, nil
	}
	env := maps.Clone(config.Env)
	if env == nil {
		env = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(config.Secrets)) {
		value, err := p.opt.Secrets.Get(ctx, secret.Ref(config.Secrets[name]))
		if err != nil {
			return nil, fault.New(cmp.Or(fault.CodeOf(err), "internal"), "{{agent}} couldn't be started, because its environment variable {{name}} couldn't be read. {{reason}}", config.Name, name, err).Because(err)
		}
		env[name] = value
	}
	return env, nil
}

// apart splits the variables of Weft's own agent into its environment and those that it reads from a pipe. The latter
// include its provider's key if Weft itself was started with it.
func (p *Pool) apart(config agent.Config, env map[string]string) (plain, secrets map[string]string) {
	plain, secrets = map[string]string{}, map[string]string{}
	for name, value := range env {
		if _, kept := config.Secrets[name]; kept || secret.Variable(name) {
			secrets[name] = value
		} else {
			plain[name] = value
		}
	}
	for _, name := range config.WeftsKeys() {
		if _, own := env[name]; own {
			break // it takes precedence
		}
		if key := secret.Getenv(name); key != "" {
			p.opt.Secrets.Redactor().Add(key)
			secrets[name] = key
		}
	}
	return plain, secrets
}
