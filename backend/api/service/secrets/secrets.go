// Package secrets stores the secrets to which the settings refer, and implements the commands about their storage.
package secrets

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/settings"
	"weft/backend/settings/secret"
	"weft/backend/store/db"
)

// SecretInput is a secret in a form: a new value, or a reference to a stored one. No command returns a value.
type SecretInput struct {
	Ref   string `json:"ref,omitzero"`
	Value string `json:"value,omitzero"` // overrides Ref
}

// Secrets says where secrets are stored.
type Secrets struct {
	Store    string `json:"store" enum:"keychain,file"` // for new ones: keychain, file
	Keychain int    `json:"keychain"`                   // how many of those in use are in the keychain
	File     int    `json:"file"`
	// Missing are the settings whose secrets a restored backup left out, as "agents.NAME.args.2", sorted.
	Missing []string `json:"missing"`
}

// SecretStoreRequest sets where new secrets are stored.
type SecretStoreRequest struct {
	Store string `json:"store" enum:"keychain,file"` // keychain, file
}

// Texts are texts by agents or users.
type Texts struct {
	Texts []string `json:"texts"`
}

// Options configures [New].
type Options struct {
	Settings *settings.File
	Secrets  *secret.Store
	Meta     *db.Meta
	// Read returns a secret by its reference.
	Read func(ctx context.Context, ref string) (string, error)
	Log  zerolog.Logger
}

// Keeper stores secrets, and deletes those without references.
type Keeper struct {
	settings   *settings.File
	secrets    *secret.Store
	meta       *db.Meta
	read       func(ctx context.Context, ref string) (string, error)
	log        zerolog.Logger
	known      sync.Map   // references read so far
	forgetting sync.Mutex // held while the list of secrets to delete is read, changed and written
}

// New makes a keeper.
func New(opt Options) *Keeper {
	return &Keeper{settings: opt.Settings, secrets: opt.Secrets, meta: opt.Meta, read: opt.Read, log: opt.Log}
}

// Redactor hides secrets in texts.
func (s *Keeper) Redactor() *secret.Redactor { return s.secrets.Redactor() }

// Read returns a secret by its reference.
func (s *Keeper) Read(ctx context.Context, ref string) (string, error) { return s.read(ctx, ref) }

// Withhold removes the secrets read since the start from a text. If the end of the text may be the beginning of a
// secret, because the text was truncated, it removes that too.
func (s *Keeper) Withhold(text string) string {
	shown := s.secrets.Redactor().Stream().NextText(text)
	if shown == text {
		return text
	}
	if whole := s.secrets.Redactor().PrintedText(text); whole == shown {
		return shown
	}
	return shown + "…"
}

// WithholdSecrets removes known secrets from texts. A page needs that for browser notifications.
func (s *Keeper) WithholdSecrets(_ context.Context, r Texts) (Texts, error) {
	out := Texts{Texts: make([]string, len(r.Texts))}
	for i, text := range r.Texts {
		out.Texts[i] = s.Withhold(text)
	}
	return out, nil
}

// Secrets returns where secrets are stored. It does not access the keychain.
func (s *Keeper) Secrets(context.Context, command.None) (Secrets, error) {
	now := s.settings.Get()
	out := Secrets{Store: string(storeOf(now)), Missing: append([]string{}, settings.Missing(now)...)}
	for ref := range references(now) {
		switch secret.Ref(ref).Place() {
		case secret.Keychain:
			out.Keychain++
		case secret.File:
			out.File++
		case secret.LeftOut: // listed in Missing
		}
	}
	return out, nil
}

// ReadAll reads all secrets in the settings, so that the redactor knows them, and returns how many it could not read.
// It reads each one once, because a reference's value never changes. It may block for the keychain.
func (s *Keeper) ReadAll(ctx context.Context) (unread int) {
	for ref := range references(s.settings.Get()) {
		if _, done := s.known.Load(ref); done || secret.Ref(ref).Place() == secret.LeftOut {
			continue
		}
		if _, err := s.read(ctx, ref); err != nil {
			s.log.Warn().Err(err).Msg("a secret can't be read, and so not be hidden in an export")
			unread++
			continue
		}
		s.known.Store(ref, true)
	}
	return unread
}

// SetSecretStore sets where new secrets are stored. Existing secrets stay where they are.
func (s *Keeper) SetSecretStore(ctx context.Context, req SecretStoreRequest) (Secrets, error) {
	if req.Store != string(secret.Keychain) && req.Store != string(secret.File) {
		return Secrets{}, fault.New(fault.Invalid, "Secrets must be kept in the keychain or in a file.")
	}
	if err := s.settings.Update(func(now *settings.Settings) error {
		now.SecretStore = req.Store
		return nil
	}); err != nil {
		return Secrets{}, err
	}
	return s.Secrets(ctx, command.None{})
}

func storeOf(now settings.Settings) secret.Place {
	if now.SecretStore == string(secret.File) {
		return secret.File
	}
	return secret.Keychain
}

// references returns all references in the settings.
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

// Keep stores the new values of a form and returns the references of all. added are the new ones: pass them to
// [Keeper.Forget] if the settings can't be saved.
func (s *Keeper) Keep(ctx context.Context, owner string, form map[string]SecretInput) (refs map[string]string, added []string, err error) {
	refs = map[string]string{}
	place := storeOf(s.settings.Get())
	for _, name := range slices.Sorted(maps.Keys(form)) {
		in := form[name]
		if in.Value == "" {
			if !secret.Ref(in.Ref).Valid() {
				return nil, added, fault.New(fault.Invalid, "Enter a value for {{name}}, or remove it.", name)
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

// forgetKey is the key of the list of secrets to delete. The list survives a locked keychain, and lets the user undo a
// removal until the next start.
const forgetKey = "secrets:forget"

// Forget lists secrets for deletion that were removed from the settings. Secrets in use are not deleted.
func (s *Keeper) Forget(ctx context.Context, refs ...string) {
	if len(refs) == 0 {
		return
	}
	s.forgetting.Lock()
	defer s.forgetting.Unlock()
	list := s.Forgotten(ctx)
	for _, ref := range refs {
		if !slices.Contains(list, ref) {
			list = append(list, ref)
		}
	}
	s.noteForgotten(ctx, list)
}

// ForgetDropped is [Keeper.Forget] for the references that the settings had before and don't have now.
func (s *Keeper) ForgetDropped(ctx context.Context, before settings.Settings) {
	now := references(s.settings.Get())
	var dropped []string
	for ref := range references(before) {
		if !now[ref] {
			dropped = append(dropped, ref)
		}
	}
	s.Forget(ctx, dropped...)
}

// Forgotten returns the references of secrets to delete.
func (s *Keeper) Forgotten(ctx context.Context) []string {
	var list []string
	if text, _, err := s.meta.Get(ctx, forgetKey); err == nil && text != "" {
		_ = json.Unmarshal([]byte(text), &list) // on failure the list is empty
	}
	return list
}

func (s *Keeper) noteForgotten(ctx context.Context, list []string) {
	raw, err := json.Marshal(list)
	if err == nil {
		err = s.meta.Set(ctx, forgetKey, string(raw))
	}
	if err != nil {
		s.log.Error().Err(err).Msg("secrets that will be deleted could not be noted")
	}
}

// Tidy deletes the listed secrets without references: after the start, and when the user logs out. It tries failed ones
// again the next time.
func (s *Keeper) Tidy(ctx context.Context) {
	s.TidyForgotten(ctx, func(string) bool { return true })
}

// TidyForgotten is [Keeper.Tidy] for the references that doomed selects. After the start these are the ones from
// before: a newer removal can still be undone.
func (s *Keeper) TidyForgotten(ctx context.Context, doomed func(ref string) bool) {
	s.forgetting.Lock()
	defer s.forgetting.Unlock()
	list := s.Forgotten(ctx)
	if len(list) == 0 || s.settings.Problem() != nil { // a broken file has no references
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
			s.log.Warn().Err(err).Str("secret", ref).Msg("a secret could not be deleted; it is tried again at the next start")
			left = append(left, ref)
			if ctx.Err() != nil {
				left = append(left, list[i+1:]...)
				break
			}
		}
	}
	s.noteForgotten(ctx, left)
}
