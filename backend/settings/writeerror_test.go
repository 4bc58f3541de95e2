package settings

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"weft/backend/base/fault"
)

func TestWriteErrorsAreSentences(t *testing.T) {
	for _, c := range []struct {
		err        error
		code, want string
	}{
		{&fs.PathError{Op: "write", Path: "/a/.tmp", Err: syscall.ENOSPC}, "disk_full", "Couldn't save the settings, so nothing was changed. The disk is full. Free some space and try again."},
		{&fs.PathError{Op: "open", Path: "/a/.tmp", Err: syscall.EACCES}, "read_only", "Couldn't save the settings, so nothing was changed. Weft has no permission to write /a/settings.json. Check its permissions."},
		{&fs.PathError{Op: "write", Path: "/a/.tmp", Err: syscall.EFBIG}, "io", "Couldn't save the settings, so nothing was changed. Writing /a/settings.json failed: file too large."},
		{errors.New("odd"), "io", "Couldn't save the settings, so nothing was changed. Writing /a/settings.json failed: odd."},
	} {
		var e *fault.Error
		if err := writeError("/a/settings.json", c.err); !errors.As(err, &e) || e.Code != c.code || err.Error() != c.want || !errors.Is(err, c.err) {
			t.Errorf("%v: %v", c.err, err)
		}
	}
}
