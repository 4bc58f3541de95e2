package secret

// Codes of [Error].
const (
	CodeMissing     = "secret_missing"       // it is not where it should be
	CodeUnavailable = "keychain_unavailable" // there is no keychain, or it cannot be reached
	CodeLocked      = "keychain_locked"      // it was not unlocked
	CodeSilent      = "keychain_silent"      // it did not answer in time
	CodeFile        = "secrets_file"         // the encrypted file cannot be read or written
	CodeInvalid     = "invalid"              // no secret can be like that
)

// Error is a secret that could not be kept or read, in a sentence that a user can act on. It
// never holds a value.
type Error struct {
	Code    string
	Message string
	Err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// Keychain reports whether the keychain itself is what is wrong, so that asking it again at once
// is in vain.
func (e *Error) Keychain() bool {
	return e.Code == CodeUnavailable || e.Code == CodeLocked || e.Code == CodeSilent
}
