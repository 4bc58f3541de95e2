package registry

// Codes of [Error].
const (
	CodeUnreachable = "registry_unreachable" // the source did not answer
	CodeUnreadable  = "registry_unreadable"  // what it answered is not a registry
	CodeSource      = "registry_source"      // the source is not one that may be asked
)

// Error is a failure that a user can act on.
type Error struct {
	Code    string // one of the Code constants
	Message string // what happened and what to do, as full sentences
	Err     error  // the cause, or nil
}

// Error gives the message for the user.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
