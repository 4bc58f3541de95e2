package secret

import (
	"context"
	"errors"
	"time"

	"github.com/zalando/go-keyring"

	"weft/backend/base/fault"
)

// Named secrets are those that have one name for everybody who uses the keychain as [Service]; the key of the
// built-in agent is one, which other clients start without Weft. They are kept in the keychain only.

// Named reads a secret by its name: "" if there is none. It blocks until the keychain has answered or ctx is
// done. Errors: *Error.
func Named(ctx context.Context, name string) (string, error) {
	value, err := named().get(ctx, name)
	if errors.Is(err, keyring.ErrNotFound) {
		return "", nil
	}
	return value, err
}

// KeepNamed puts a secret under a name into the keychain, in the place of one that is there. Errors: *Error.
func KeepNamed(ctx context.Context, name, value string) error {
	if len(value) > MaxValue {
		return fault.New(CodeInvalid, "A secret can have at most 2500 bytes.")
	}
	return named().set(ctx, name, value)
}

// ForgetNamed takes a secret out of the keychain; it is no error if it is not there. Errors: *Error.
func ForgetNamed(ctx context.Context, name string) error { return named().remove(ctx, name) }

func named() *keychain { return &keychain{timeout: 5 * time.Minute, turn: make(chan struct{}, 1)} }
