package tools

import (
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Error is the error of a call: a code for programs and a sentence for the agent and the user. A failed call returns a
// result with isError, so that the model can react.
type Error struct {
	Code    string // invalid, not_member, no_space, no_target, no_tool, denied, cancelled, timeout, unreachable, failed
	Message string
	Err     error
	Passing bool // temporary: the same call may succeed later
	Undone  bool // the tool has certainly done nothing
	Retried bool // the call was retried
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// WasRetried reports whether the call was retried.
func (e *Error) WasRetried() bool { return e.Retried }

// Invalid returns the error of an invalid call or definition.
func Invalid(format string, args ...any) *Error {
	return &Error{Code: "invalid", Message: fmt.Sprintf(format, args...)}
}

// Text returns a result with a text.
func Text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}
