package terminal

import (
	"fmt"

	"weft/backend/base/fault"
)

// Codes of [Error].
const (
	CodeUnknown = "terminal_unknown" // never created, or already released
	CodeTooMany = "terminal_too_many"
	CodeClosed  = "terminal_closed"
	CodeInvalid = "terminal_invalid"
)

// Error is an error with a sentence for the agent and the user.
type Error = fault.Error

func unknown(id string) error {
	return fault.New(CodeUnknown, "There is no terminal {{id}}. It was released, or never created in this session.", fmt.Sprintf("%.80q", id))
}
