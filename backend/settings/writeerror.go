package settings

import (
	"errors"
	"fmt"
	"io/fs"

	"weft/backend/atomicfile"
	"weft/backend/fault"
)

// writeError is why a change could not be saved: disk_full, read_only or io. The file, and the settings that are in force, are as
// they were.
func writeError(path string, err error) error {
	const what = "Couldn't save the settings, so nothing was changed. "
	switch {
	case atomicfile.Full(err):
		return &fault.Error{Code: "disk_full", Message: what + "The disk is full. Free some space and try again.", Err: err}
	case atomicfile.Denied(err):
		return &fault.Error{Code: "read_only", Message: fmt.Sprintf(what+"Weft has no permission to write %s. Check its permissions.", path), Err: err}
	}
	why := err
	var at *fs.PathError
	if errors.As(why, &at) {
		why = at.Err // it names the temporary file
	}
	return &fault.Error{Code: "io", Message: fmt.Sprintf(what+"Writing %s failed: %v.", path, why), Err: err}
}
