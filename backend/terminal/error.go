package terminal

import "fmt"

// Codes of [Error].
const (
	CodeUnknown = "terminal_unknown" // never made, or released
	CodeTooMany = "terminal_too_many"
	CodeClosed  = "terminal_closed"
	CodeInvalid = "terminal_invalid"
)

// Error is a refusal, with a sentence for the agent and the user.
type Error struct {
	Code    string
	Message string
}

func (e *Error) Error() string { return e.Message }

func unknown(id string) error {
	return &Error{CodeUnknown, fmt.Sprintf("There is no terminal %.80q. It was released, or never created in this session.", id)}
}
