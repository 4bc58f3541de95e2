//go:build !linux

package sandbox

import "weft/backend/base/fault"

// Available returns nil if a sandbox can be created, otherwise an *Error that says what the user can do.
func Available() error {
	return fault.New(Unsupported, "The sandbox is available on Linux only.")
}

// CanSeal returns nil if a program can be kept from writing to a folder, otherwise an *Error that says what the user
// can do.
func CanSeal() error { return Available() }

// Wrap returns the command that runs a program in the sandbox. Errors: *Error if there can be no sandbox.
func (p Plan) Wrap(string, []string) (Command, error) { return Command{}, Available() }

// Take restricts the calling thread and the processes that it starts.
func (r Restriction) Take() error { return Available() }
