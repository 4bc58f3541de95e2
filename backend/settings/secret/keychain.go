package secret

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"weft/backend/base/fault"
)

// keychain asks the system's keychain, which knows no time-outs: a call that hangs is left behind,
// and as long as it does no other one is made.
type keychain struct {
	timeout time.Duration
	turn    chan struct{} // held by the one call that is on its way
}

// queueTimeout is how long a call waits for one that hangs already.
const queueTimeout = time.Second

func (k *keychain) set(ctx context.Context, id, value string) error {
	_, err := k.ask(ctx, func() (string, error) { return "", keyring.Set(Service, id, value) })
	return err
}

func (k *keychain) get(ctx context.Context, id string) (string, error) {
	value, err := k.ask(ctx, func() (string, error) { return keyring.Get(Service, id) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", fault.New(CodeMissing, "This secret is no longer in the system keychain. Enter it again in Settings.").Because(err)
	}
	return value, err
}

func (k *keychain) remove(ctx context.Context, id string) error {
	_, err := k.ask(ctx, func() (string, error) { return "", keyring.Delete(Service, id) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

func (k *keychain) ask(ctx context.Context, do func() (string, error)) (string, error) {
	if !reachable() {
		return "", absent(nil)
	}
	ctx, cancel := context.WithTimeout(ctx, k.timeout)
	defer cancel()
	select {
	case k.turn <- struct{}{}:
	default:
		wait := time.NewTimer(min(queueTimeout, k.timeout))
		defer wait.Stop()
		select {
		case k.turn <- struct{}{}:
		case <-wait.C:
			return "", silent(nil)
		case <-ctx.Done():
			return "", silent(ctx.Err())
		}
	}
	type answer struct {
		value string
		err   error
	}
	came := make(chan answer, 1)
	go func() {
		defer func() { <-k.turn }()
		value, err := do()
		came <- answer{value, err}
	}()
	select {
	case a := <-came:
		if a.err != nil && !errors.Is(a.err, keyring.ErrNotFound) {
			return "", keychainError(a.err)
		}
		return a.value, a.err
	case <-ctx.Done():
		return "", silent(ctx.Err())
	}
}

func silent(err error) error {
	return fault.New(CodeSilent, "The system keychain doesn't answer. It may be waiting for you to unlock it: look for its window, then try again.").Because(err)
}

func absent(err error) error {
	return fault.New(CodeUnavailable, "Couldn't reach a system keychain. Start one (on Linux: gnome-keyring or KWallet with the Secret Service), or choose to keep secrets in an encrypted file in Settings.").Because(err)
}

// keychainError makes a sentence of what the keychain said. Its texts hold no values.
func keychainError(err error) error {
	text := strings.ToLower(err.Error())
	switch {
	case strings.Contains(text, "locked"), strings.Contains(text, "to unlock"), strings.Contains(text, "dismissed"), strings.Contains(text, "denied"), strings.Contains(text, "interaction is not allowed"):
		return fault.New(CodeLocked, "The system keychain is locked. Unlock it, then try again.").Because(err)
	case errors.Is(err, keyring.ErrUnsupportedPlatform), strings.Contains(text, "no such file"), strings.Contains(text, "not provided by any"),
		strings.Contains(text, "connection refused"), strings.Contains(text, "was not found"), strings.Contains(text, "serviceunknown"), strings.Contains(text, "no such object path"), strings.Contains(text, "executable file not found"):
		return absent(err)
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return fault.New(CodeInvalid, "This secret is too long for the system keychain.").Because(err)
	}
	return fault.New(CodeUnavailable, "The system keychain reported an error: {{reason}}. Try again, or choose to keep secrets in an encrypted file in Settings.", strings.TrimRight(err.Error(), ".")).Because(err)
}

// reachable keeps the D-Bus library from starting a bus of its own where there is none: nobody
// would end that, and no keychain would be on it.
var reachable = func() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	}
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return err == nil
}
