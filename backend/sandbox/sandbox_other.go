//go:build !linux

package sandbox

import "weft/backend/fault"

// Available returns nil where a sandbox can be made, else an *Error with what the user can do about it.
func Available() error {
	return fault.New(Unsupported, "The sandbox is available on Linux only.")
}

// CanSeal returns nil where a program can be kept from writing a folder, else an *Error with what the user can do about it.
func CanSeal() error { return Available() }

// Wrap returns the command that runs a program in the sandbox. Errors: *Error, where there can be no sandbox.
func (p Plan) Wrap(string, []string) (Command, error) { return Command{}, Available() }

// Take restricts the calling thread, and what it starts.
func (r Restriction) Take() error { return Available() }
