package secret

import "weft/backend/base/fault"

// Codes of [Error].
const (
	CodeMissing     = "secret_missing"       // it is not where it should be
	CodeUnavailable = "keychain_unavailable" // there is no keychain, or it cannot be reached
	CodeLocked      = "keychain_locked"      // it was not unlocked
	CodeSilent      = "keychain_silent"      // it did not answer in time
	CodeFile        = "secrets_file"         // the encrypted file cannot be read or written
	CodeInvalid     = "invalid"              // no secret can be like that
)

// Error is a failure that a user can act on.
type Error = fault.Error

// KeychainFailed reports whether the keychain itself is what is wrong, so that asking it again at once
// is in vain.
func KeychainFailed(err error) bool {
	code := fault.CodeOf(err)
	return code == CodeUnavailable || code == CodeLocked || code == CodeSilent
}
