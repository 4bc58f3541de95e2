package runs

import (
	"context"

	"weft/backend/agent"
	"weft/backend/secret"
)

// Secret reads a secret that the settings name. Errors: *secret.Error.
func (m *Manager) Secret(ctx context.Context, ref string) (string, error) {
	return m.opt.Secrets.Get(ctx, secret.Ref(ref))
}

// redactor knows the secrets that were read; nil if none can be.
func (m *Manager) redactor() *secret.Redactor { return m.opt.Secrets.Redactor() }

// Environment returns an agent's own variables with their secrets. It blocks for the keychain at worst. Error: *Error with a code of package secret.
func (m *Manager) Environment(ctx context.Context, config agent.Config) (map[string]string, error) {
	return m.processes.Environment(ctx, config)
}
