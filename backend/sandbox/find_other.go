//go:build !linux

package sandbox

func find() (string, error) {
	return "", &Error{Code: Unsupported, Message: "The sandbox is available on Linux only."}
}

// Available returns nil where a sandbox can be made, else an *Error with what the user can do about it.
func Available() error {
	_, err := find()
	return err
}
