package settings

import (
	"errors"
	"io/fs"

	"weft/backend/atomicfile"
	"weft/backend/fault"
)

// writeError is why a change could not be saved: disk_full, read_only or io. The file, and the settings that are in force, are as
// they were.
func writeError(path string, err error) error {
	switch {
	case atomicfile.Full(err):
		return fault.New("disk_full", "Couldn't save the settings, so nothing was changed. The disk is full. Free some space and try again.").Because(err)
	case atomicfile.Denied(err):
		return fault.New("read_only", "Couldn't save the settings, so nothing was changed. Weft has no permission to write {{path}}. Check its permissions.", path).Because(err)
	}
	why := err
	var at *fs.PathError
	if errors.As(why, &at) {
		why = at.Err // it names the temporary file
	}
	return fault.New("io", "Couldn't save the settings, so nothing was changed. Writing {{path}} failed: {{reason}}.", path, why).Because(err)
}
