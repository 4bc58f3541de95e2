//go:build !linux

package sandbox

func find() (string, error) {
	return "", &Error{Code: "sandbox_missing", Message: "The sandbox is available on Linux only. Switch it off for this agent in Settings."}
}

// Available returns nil where a sandbox can be made, else why not, as Wrap does.
func Available() error {
	_, err := find()
	return err
}
