package settings

import (
	"errors"
	"io/fs"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
)

// writeError returns why a change couldn't be saved: disk_full, read_only or io. The file and the settings in force
// aren't changed.
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
		why = at.Err // err contains the path of the temporary file
	}
	return fault.New("io", "Couldn't save the settings, so nothing was changed. Writing {{path}} failed: {{reason}}.", path, why).Because(err)
}
