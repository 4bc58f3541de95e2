package tools

import (
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Error is why a call failed: a code that programs read and a sentence that the agent and people read. A call that
// fails has a result with isError, which a model can act upon.
type Error struct {
	Code    string // invalid, not_member, no_space, no_target, no_tool, denied, cancelled, timeout, unreachable, failed
	Message string
	Err     error
	Passing bool // the same call may succeed later
	Undone  bool // and nothing was done, for certain
	Retried bool // it was made twice
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// WasRetried reports whether the call was made twice.
func (e *Error) WasRetried() bool { return e.Retried }

// Invalid returns the error of a call, or of a definition, that is wrong.
func Invalid(format string, args ...any) *Error {
	return &Error{Code: "invalid", Message: fmt.Sprintf(format, args...)}
}

// Text returns a result that is a text.
func Text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}
