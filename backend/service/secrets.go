package service

import (
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"weft/backend/secret"
	"weft/backend/settings"
)

// SecretInput is a secret as a form gives it: a new value, or the reference to the one that is kept. A
// command never answers a value.
type SecretInput struct {
	Ref   string `json:"ref,omitzero"`
	Value string `json:"value,omitzero"` // stronger than Ref
}

// Secrets tells where secrets are kept.
type Secrets struct {
	Store    string `json:"store" enum:"keychain,file"` // where new ones are: keychain, file
	Keychain int    `json:"keychain"`                   // how many of those in use are there
	File     int    `json:"file"`
}

// SecretStoreRequest chooses where new secrets are kept.
type SecretStoreRequest struct {
	Store string `json:"store" enum:"keychain,file"` // keychain, file
}

// Secrets answers where secrets are kept. It does not ask the keychain.
func (s *Service) Secrets(context.Context, none) (Secrets, error) {
	now := s.settings.Get()
	out := Secrets{Store: string(storeOf(now))}
	for ref := range references(now) {
		switch secret.Ref(ref).Place() {
		case secret.Keychain:
			out.Keychain++
		case secret.File:
			out.File++
		}
	}
	return out, nil
}

// SetSecretStore chooses where new secrets are kept. Those that are kept already stay where they are.
func (s *Service) SetSecretStore(ctx context.Context, req SecretStoreRequest) (Secrets, error) {
	if req.Store != string(secret.Keychain) && req.Store != string(secret.File) {
		return Secrets{}, invalid("Secrets are kept in the keychain or in a file.")
	}
	if err := s.settings.Update(func(now *settings.Settings) error {
		now.SecretStore = req.Store
		return nil
	}); err != nil {
		return Secrets{}, err
	}
	return s.Secrets(ctx, none{})
}

func storeOf(now settings.Settings) secret.Place {
	if now.SecretStore == string(secret.File) {
		return secret.File
	}
	return secret.Keychain
}

// references answers all references in the settings.
func references(now settings.Settings) map[string]bool {
	refs := map[string]bool{}
	add := func(list map[string]string) {
		for _, ref := range list {
			refs[ref] = true
		}
	}
	for _, list := range now.AgentSecrets {
		add(list)
	}
	for _, m := range now.MCPServers {
		add(m.SecretEnv)
		add(m.SecretHeaders)
	}
	return refs
}

// keep keeps the new values of a form and answers the references of all. added are those that are new, to be let
// go of again if the settings cannot be saved.
func (s *Service) keep(ctx context.Context, owner string, form map[string]SecretInput) (refs map[string]string, added []string, err error) {
	refs = map[string]string{}
	place := storeOf(s.settings.Get())
	for _, name := range slices.Sorted(maps.Keys(form)) {
		in := form[name]
		if in.Value == "" {
			if !secret.Ref(in.Ref).Valid() {
				return nil, added, invalid("Enter a value for " + name + ", or remove it.")
			}
			refs[name] = in.Ref
			continue
		}
		ref, err := s.secrets.Set(ctx, place, owner+"-"+name, in.Value)
		if err != nil {
			return nil, added, err
		}
		refs[name] = string(ref)
		added = append(added, string(ref))
	}
	return refs, added, nil
}

// forgetKey is where references are noted whose secrets are to be deleted. So none is left behind by a keychain
// that is locked just then, and a removal can be undone until the next start.
const forgetKey = "secrets:forget"

// forget notes secrets that were taken out of the settings; those in use are left alone in the end.
func (s *Service) forget(ctx context.Context, refs ...string) {
	if len(refs) == 0 {
		return
	}
	s.forgetting.Lock()
	defer s.forgetting.Unlock()
	list := s.forgotten(ctx)
	for _, ref := range refs {
		if !slices.Contains(list, ref) {
			list = append(list, ref)
		}
	}
	s.noteForgotten(ctx, list)
}

// forgetDropped is forget for what the settings named before and do not name now.
func (s *Service) forgetDropped(ctx context.Context, before settings.Settings) {
	now := references(s.settings.Get())
	var dropped []string
	for ref := range references(before) {
		if !now[ref] {
			dropped = append(dropped, ref)
		}
	}
	s.forget(ctx, dropped...)
}

func (s *Service) forgotten(ctx context.Context) []string {
	var list []string
	if text, _, err := s.store.Meta.Get(ctx, forgetKey); err == nil && text != "" {
		_ = json.Unmarshal([]byte(text), &list) // else there is nothing to forget
	}
	return list
}

func (s *Service) noteForgotten(ctx context.Context, list []string) {
	raw, err := json.Marshal(list)
	if err == nil {
		err = s.store.Meta.Set(ctx, forgetKey, string(raw))
	}
	if err != nil {
		s.opt.Log.Error().Err(err).Msg("secrets that are to be deleted could not be noted")
	}
}

// tidySecrets deletes the secrets that nothing names any more: after the start, and when the person logs out. What
// cannot be deleted is tried again the next time.
func (s *Service) tidySecrets(ctx context.Context) {
	s.tidyForgotten(ctx, func(string) bool { return true })
}

// tidyForgotten is tidySecrets for some of them. After the start these are what an earlier one has left: what is dropped meanwhile can still be taken back.
func (s *Service) tidyForgotten(ctx context.Context, doomed func(ref string) bool) {
	s.forgetting.Lock()
	defer s.forgetting.Unlock()
	list := s.forgotten(ctx)
	if len(list) == 0 || s.settings.Problem() != nil { // a broken file names nothing
		return
	}
	used := references(s.settings.Get())
	var left []string
	for i, ref := range list {
		if used[ref] {
			continue
		}
		if !doomed(ref) {
			left = append(left, ref)
			continue
		}
		if err := s.secrets.Delete(ctx, secret.Ref(ref)); err != nil {
			s.opt.Log.Warn().Err(err).Str("secret", ref).Msg("a secret could not be deleted; it is tried again at the next start")
			left = append(left, ref)
			if ctx.Err() != nil {
				left = append(left, list[i+1:]...)
				break
			}
		}
	}
	s.noteForgotten(ctx, left)
}
