package workspace

import (
	"context"
	"errors"
	"os"
	"time"

	"weft/backend/base/fault"
	"weft/backend/files/regular"
)

// Replaced reports whether err means that another folder is now at the path of the opened one.
func Replaced(err error) bool { return fault.CodeOf(err) == "replaced" }

// timeout is how long a prompt, an operation or an answer waits for the disk to check the folder.
const timeout = 2 * time.Second

// Current returns nil if the opened folder is still at its path, or if the disk doesn't respond within 2 s. Errors:
// one that is [Replaced], and the cause of ctx. path is the file of an operation; the error says that it wasn't
// touched. Without an operation path is "", and the error is not_found if there is no folder at the path.
func (f *Files) Current(ctx context.Context, path string) error {
	short, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, err := within(short, f, f.dirs[0], func(context.Context) (struct{}, error) { return struct{}{}, current(f, path) })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

// current is [Files.Current] without a time limit.
func current(f *Files, path string) error {
	switch same, err := leads(f); {
	case same:
		return nil
	case path != "":
		return refusal("replaced", err, "The folder {{folder}} was moved, deleted or replaced during this turn, so {{path}} wasn't touched. Weft opens the folder again with the next prompt.", f.dirs[0], path)
	case err != nil:
		return missing(f.dirs[0], err)
	}
	return refusal("replaced", nil, "The folder {{folder}} was replaced while its session was open. Send the prompt again.", f.dirs[0])
}

// leads reports whether the opened folder is still at its path. It returns an error if there is no folder. For a
// closed folder it returns true, because operations in it fail anyway.
func leads(f *Files) (bool, error) {
	same, err := regular.Leads(f.root, f.dirs[0])
	if errors.Is(err, os.ErrClosed) {
		return true, nil
	}
	return same || !f.steady && err == nil, err
}

// missing returns the error for a folder that can't be opened.
func missing(dir string, err error) error {
	return refusal("not_found", err, "The folder {{folder}} can't be opened. Choose another folder for this space.", dir)
}
