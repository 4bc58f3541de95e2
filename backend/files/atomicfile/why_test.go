package atomicfile

import (
	"fmt"
	"io/fs"
	"os"
	"testing"
)

func TestWhyAFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	at := func(err error) error { return fmt.Errorf("save: %w", &os.PathError{Op: "write", Path: "/a", Err: err}) }
	for _, number := range noRoom {
		if err := at(number); !Full(err) || Denied(err) {
			t.Errorf("%v is not taken for a full disk", err)
		}
	}
	for _, err := range []error{at(readOnly[0]), at(fs.ErrPermission)} {
		if !Denied(err) || Full(err) {
			t.Errorf("%v is not taken for a place that can't be written", err)
		}
	}
	for _, err := range []error{nil, fs.ErrNotExist, at(fs.ErrExist)} {
		if Full(err) || Denied(err) {
			t.Errorf("%v is taken for a full disk, or for a place that can't be written", err)
		}
	}
}
