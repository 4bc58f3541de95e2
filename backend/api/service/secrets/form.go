package secrets

import (
	"maps"
	"slices"

	"weft/backend/base/fault"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

// Fill returns the plain values together with the secrets of a form, typed or stored.
func (s *Keeper) Fill(plain map[string]string, form map[string]SecretInput, read func(string) (string, error)) (map[string]string, error) {
	kept, typed := map[string]string{}, maps.Clone(plain)
	if typed == nil {
		typed = map[string]string{}
	}
	for name, in := range form {
		if in.Value == "" {
			kept[name] = in.Ref
			continue
		}
		s.secrets.Redactor().Add(in.Value)
		typed[name] = in.Value
	}
	return secret.With(typed, kept, read)
}

// Inputs converts references to a form.
func Inputs(refs map[string]string) map[string]SecretInput {
	out := map[string]SecretInput{}
	for name, ref := range refs {
		out[name] = SecretInput{Ref: ref}
	}
	return out
}

// Refs returns the references in a form.
func Refs(form map[string]SecretInput) map[string]string {
	out := map[string]string{}
	for name, in := range form {
		out[name] = in.Ref
	}
	return out
}

// CheckForm checks that no variable of an agent's form is both plain and secret.
func CheckForm(env map[string]string, secrets map[string]SecretInput) error {
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if _, twice := env[name]; twice {
			return fault.New(fault.Invalid, "The variable {{name}} is listed twice.", name)
		}
	}
	return nil
}

// SetOfAgent sets the references of an agent in the settings, or removes them if there are none.
func SetOfAgent(now *settings.Settings, agentID string, refs map[string]string) {
	if now.AgentSecrets == nil {
		now.AgentSecrets = map[string]map[string]string{}
	}
	if len(refs) == 0 {
		delete(now.AgentSecrets, agentID)
		return
	}
	now.AgentSecrets[agentID] = refs
}
