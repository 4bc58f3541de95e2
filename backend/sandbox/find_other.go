//go:build !linux

package sandbox

import "weft/backend/fault"

func find() (string, error) {
	return "", fault.New(Unsupported, "The sandbox is available on Linux only.")
}

// Available returns nil where a sandbox can be made, else an *Error with what the user can do about it.
func Available() error {
	_, err := find()
	return err
}
