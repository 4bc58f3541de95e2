package runs

import (
	"context"

	"weft/backend/secret"
)

// Secret reads a secret that the settings name. Errors: *secret.Error.
func (m *Manager) Secret(ctx context.Context, ref string) (string, error) {
	return m.opt.Secrets.Get(ctx, secret.Ref(ref))
}

// redactor knows the secrets that were read; nil if none can be.
func (m *Manager) redactor() *secret.Redactor { return m.opt.Secrets.Redactor() }
