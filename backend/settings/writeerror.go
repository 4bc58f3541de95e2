package settings

import (
	"errors"
	"fmt"
	"io/fs"

	"weft/backend/atomicfile"
)

// WriteError is why a change could not be saved. The file, and the settings that are in force, are as they were.
type WriteError struct {
	Code string // disk_full, read_only or io
	Path string // of the settings file
	Err  error
}

func writeError(path string, err error) error {
	e := &WriteError{Code: "io", Path: path, Err: err}
	switch {
	case atomicfile.Full(err):
		e.Code = "disk_full"
	case atomicfile.Denied(err):
		e.Code = "read_only"
	}
	return e
}

// Error is a sentence for the user.
func (e *WriteError) Error() string {
	const what = "Couldn't save the settings, so nothing was changed. "
	switch e.Code {
	case "disk_full":
		return what + "The disk is full. Make room and try again."
	case "read_only":
		return fmt.Sprintf(what+"Weft may not write %s. Check its permissions.", e.Path)
	}
	why := e.Err
	var at *fs.PathError
	if errors.As(why, &at) {
		why = at.Err // it names the temporary file
	}
	return fmt.Sprintf(what+"Writing %s failed: %v.", e.Path, why)
}

// Unwrap returns the error of the file system.
func (e *WriteError) Unwrap() error { return e.Err }
