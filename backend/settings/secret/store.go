package secret

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"weft/backend/base/fault"
)

// Service is the name under which the keychain lists Weft's secrets.
const Service = "weft"

// MaxValue is the longest secret, in bytes; the keychain of Windows takes no more.
const MaxValue = 2500

// Options is what a store is made with.
type Options struct {
	Dir      string        // where the encrypted file and its key are
	Timeout  time.Duration // how long the keychain may take, 25 s if 0: a user may have to unlock it
	Redactor *Redactor     // is told every value; may be nil
}

// Store keeps and reads secrets. Its methods may be called from any goroutine and block for at
// most [Options.Timeout].
type Store struct {
	opt   Options
	chain keychain
	file  file
}

// Open makes a store. It touches neither the keychain nor the disk.
func Open(opt Options) *Store {
	opt.Timeout = cmp.Or(opt.Timeout, 25*time.Second)
	if opt.Redactor == nil {
		opt.Redactor = &Redactor{}
	}
	return &Store{
		opt:   opt,
		chain: keychain{timeout: opt.Timeout, turn: make(chan struct{}, 1)},
		file:  file{path: filepath.Join(opt.Dir, "secrets.json"), keyPath: filepath.Join(opt.Dir, "secrets.key")},
	}
}

// Redactor knows the values that were kept or read. That of a nil Store is nil and knows none.
func (s *Store) Redactor() *Redactor {
	if s == nil {
		return nil
	}
	return s.opt.Redactor
}

// Set keeps a new secret. name is what a user reads who looks into the keychain. Errors: *Error.
func (s *Store) Set(ctx context.Context, p Place, name, value string) (Ref, error) {
	switch {
	case value == "":
		return "", fault.New(CodeInvalid, "A secret can't be empty.")
	case len(value) > MaxValue:
		return "", fault.New(CodeInvalid, "A secret can have at most 2500 bytes.")
	case strings.ContainsRune(value, 0):
		return "", fault.New(CodeInvalid, "A secret can't contain a NUL character.")
	}
	s.opt.Redactor.Add(value)
	ref := newRef(p, name)
	if p == File {
		return ref, s.file.set(ref.id(), value)
	}
	return ref, s.chain.set(ctx, ref.id(), value)
}

// Get reads a secret from where it is kept; a nil Store keeps none. Errors: *Error.
func (s *Store) Get(ctx context.Context, r Ref) (string, error) {
	if s == nil {
		return "", fault.New(CodeUnavailable, "Secrets can't be stored here.")
	}
	var value string
	var err error
	switch r.Place() {
	case Keychain:
		value, err = s.chain.get(ctx, r.id())
	case File:
		value, err = s.file.get(r.id())
	case LeftOut:
		err = fault.New(CodeMissing, "It was left out of the restored backup. Enter it again in Settings.")
	default:
		return "", fault.New(CodeInvalid, "The settings refer to a secret in an unknown way. Enter it again in Settings.")
	}
	if err == nil {
		s.opt.Redactor.Add(value)
	}
	return value, err
}

// Delete forgets a secret; it is no error if it is not there. Errors: *Error.
func (s *Store) Delete(ctx context.Context, r Ref) error {
	switch r.Place() {
	case Keychain:
		return s.chain.remove(ctx, r.id())
	case File:
		return s.file.remove(r.id())
	case LeftOut: // there is none
	}
	return nil
}
