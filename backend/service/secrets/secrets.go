// Package secrets keeps the secrets that the settings refer to, and has the commands about where they are.
package secrets

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/command"
	"weft/backend/fault"
	"weft/backend/secret"
	"weft/backend/settings"
	"weft/backend/store/db"
)

// SecretInput is a secret as a form gives it: a new value, or the reference to the one that is kept. A
// command never returns a value.
type SecretInput struct {
	Ref   string `json:"ref,omitzero"`
	Value string `json:"value,omitzero"` // stronger than Ref
}

// Secrets tells where secrets are kept.
type Secrets struct {
	Store    string `json:"store" enum:"keychain,file"` // where new ones are: keychain, file
	Keychain int    `json:"keychain"`                   // how many of those in use are there
	File     int    `json:"file"`
	// Missing are the places of the settings whose secrets were left out of a backup that was restored, as "agents.NAME.args.2", sorted.
	Missing []string `json:"missing"`
}

// SecretStoreRequest chooses where new secrets are kept.
type SecretStoreRequest struct {
	Store string `json:"store" enum:"keychain,file"` // keychain, file
}

// Texts are texts that agents or users have written.
type Texts struct {
	Texts []string `json:"texts"`
}

// Options is what a keeper is made with.
type Options struct {
	Settings *settings.File
	Secrets  *secret.Store
	Meta     *db.Meta
	// Read returns a secret by its reference.
	Read func(ctx context.Context, ref string) (string, error)
	Log  zerolog.Logger
}

// Keeper keeps secrets, and deletes those that nothing refers to anymore.
type Keeper struct {
	settings   *settings.File
	secrets    *secret.Store
	meta       *db.Meta
	read       func(ctx context.Context, ref string) (string, error)
	log        zerolog.Logger
	known      sync.Map   // references that were read
	forgetting sync.Mutex // held while the list of secrets to forget is read, changed and written
}

// New makes a keeper.
func New(opt Options) *Keeper {
	return &Keeper{settings: opt.Settings, secrets: opt.Secrets, meta: opt.Meta, read: opt.Read, log: opt.Log}
}

// Redactor hides secrets in texts.
func (s *Keeper) Redactor() *secret.Redactor { return s.secrets.Redactor() }

// Read returns a secret by its reference.
func (s *Keeper) Read(ctx context.Context, ref string) (string, error) { return s.read(ctx, ref) }

// Withhold returns a text without the secrets that were read since the start. The text may have been cut: what may be the beginning of a
// secret at its end is left out, too.
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

// WithholdSecrets returns the texts without known secrets, as a page needs them for the notifications of its browser.
func (s *Keeper) WithholdSecrets(_ context.Context, r Texts) (Texts, error) {
	out := Texts{Texts: make([]string, len(r.Texts))}
	for i, text := range r.Texts {
		out.Texts[i] = s.Withhold(text)
	}
	return out, nil
}

// Secrets returns where secrets are kept. It does not ask the keychain.
func (s *Keeper) Secrets(context.Context, command.None) (Secrets, error) {
	now := s.settings.Get()
	out := Secrets{Store: string(storeOf(now)), Missing: append([]string{}, settings.Missing(now)...)}
	for ref := range references(now) {
		switch secret.Ref(ref).Place() {
		case secret.Keychain:
			out.Keychain++
		case secret.File:
			out.File++
		case secret.LeftOut: // Missing has them
		}
	}
	return out, nil
}

// ReadAll makes all secrets that the settings refer to known to the redactor, which knows those that were read. It returns how many can't be
// read. It blocks for the keychain at worst, which is asked once for each: what is behind a reference never changes.
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

// SetSecretStore chooses where new secrets are kept. Those that are kept already stay where they are.
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

// Keep keeps the new values of a form and returns the references of all. added are those that are new, to be let
// go of again if the settings cannot be saved.
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

// forgetKey is where references are noted whose secrets will be deleted. So none is left behind by a keychain
// that is locked just then, and a removal can be undone until the next start.
const forgetKey = "secrets:forget"

// Forget notes secrets that were taken out of the settings; those in use are left alone in the end.
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

// ForgetDropped is [Keeper.Forget] for what the settings named before and do not name now.
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

// Forgotten returns the references of secrets that will be deleted.
func (s *Keeper) Forgotten(ctx context.Context) []string {
	var list []string
	if text, _, err := s.meta.Get(ctx, forgetKey); err == nil && text != "" {
		_ = json.Unmarshal([]byte(text), &list) // else there is nothing to forget
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

// Tidy deletes the secrets that nothing names any more: after the start, and when the user logs out. What
// cannot be deleted is tried again the next time.
func (s *Keeper) Tidy(ctx context.Context) {
	s.TidyForgotten(ctx, func(string) bool { return true })
}

// TidyForgotten is [Keeper.Tidy] for some of them. After the start these are what an earlier one has left: what is dropped meanwhile can still be taken back.
func (s *Keeper) TidyForgotten(ctx context.Context, doomed func(ref string) bool) {
	s.forgetting.Lock()
	defer s.forgetting.Unlock()
	list := s.Forgotten(ctx)
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
