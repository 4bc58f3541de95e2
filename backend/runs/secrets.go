package runs

import (
	"context"
	"errors"
	"maps"
	"slices"

	"weft/backend/agent"
	"weft/backend/modelproxy"
	"weft/backend/sandbox"
	"weft/backend/secret"
)

// start starts an agent's process with the secrets that it is to have, and lets it reach its models through a tunnel if there is one. It blocks for the keychain at
// worst (see secret.Options). Errors: those of agent.Start, and *Error with a code of package secret.
func (m *Manager) start(ctx context.Context, config agent.Config, folder string, plan *sandbox.Plan, through *modelproxy.Tunnel) (*agent.Process, error) {
	env, err := m.environment(ctx, config)
	if err != nil {
		return nil, err
	}
	if through != nil {
		env = m.rerouted(config, folder, env, through)
	}
	spec := config.Spec(folder, m.pidDir())
	spec.Env, spec.Hide, spec.Sandbox = env, m.redactor(), plan
	if config.Own() {
		spec.Env, spec.Secrets = m.apart(config, env)
	}
	return agent.Start(ctx, spec)
}

// environment returns an agent's own variables with their secrets.
func (m *Manager) environment(ctx context.Context, config agent.Config) (map[string]string, error) {
	if len(config.Secrets) == 0 {
		return config.Env, nil
	}
	env := maps.Clone(config.Env)
	if env == nil {
		env = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(config.Secrets)) {
		value, err := m.secret(ctx, config.Secrets[name])
		if err != nil {
			return nil, &Error{Code: secretCode(err), Message: config.Name + " was not started, because its variable " + name + " could not be read. " + err.Error(), Err: err}
		}
		env[name] = value
	}
	return env, nil
}

// apart parts the variables of Weft's own agent into what its environment may hold and what it reads from a pipe. With the
// latter comes its provider's key, where Weft itself was started with it.
func (m *Manager) apart(config agent.Config, env map[string]string) (plain, secrets map[string]string) {
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
			break // theirs is stronger
		}
		if key := secret.Getenv(name); key != "" {
			m.redactor().Add(key)
			secrets[name] = key
		}
	}
	return plain, secrets
}

// Secret reads a secret that the settings name. Errors: *secret.Error.
func (m *Manager) Secret(ctx context.Context, ref string) (string, error) { return m.secret(ctx, ref) }

func (m *Manager) secret(ctx context.Context, ref string) (string, error) {
	if m.opt.Secrets == nil {
		return "", &secret.Error{Code: secret.CodeUnavailable, Message: "There is no place for secrets here."}
	}
	return m.opt.Secrets.Get(ctx, secret.Ref(ref))
}

// redactor knows the secrets that were read; nil if none can be.
func (m *Manager) redactor() *secret.Redactor {
	if m.opt.Secrets == nil {
		return nil
	}
	return m.opt.Secrets.Redactor()
}

func secretCode(err error) string {
	var e *secret.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return "internal"
}
