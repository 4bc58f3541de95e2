package workspace

import (
	"context"
	"errors"
	"os"
	"time"

	"weft/backend/fault"
	"weft/backend/regular"
)

// Replaced reports whether an error says that the path of a folder leads to another folder than the one that was opened.
func Replaced(err error) bool { return fault.CodeOf(err) == "replaced" }

// timeout is how long a prompt, an operation or an answer waits for the disk to say where the folder is.
const timeout = 2 * time.Second

// Current returns nil if the path of the folder still leads to the folder that was opened, also if the disk hasn't said so after 2 s. Errors: one that
// is [Replaced], and the cause of ctx. Path is what an operation is about, which the error says then wasn't touched. Without an operation it is "";
// then the error is not_found if there is no folder any more.
func (f *Files) Current(ctx context.Context, path string) error {
	short, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, err := within(short, f, f.dirs[0], func(context.Context) (struct{}, error) { return struct{}{}, current(f, path) })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

// current is [Files.Current] without a limit.
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

// leads reports whether the path of the folder leads to it. Error: that there is no folder. One that was closed fails what is done in it by itself.
func leads(f *Files) (bool, error) {
	same, err := regular.Leads(f.root, f.dirs[0])
	if errors.Is(err, os.ErrClosed) {
		return true, nil
	}
	return same || !f.steady && err == nil, err
}

// missing is that there is no folder to open.
func missing(dir string, err error) error {
	return refusal("not_found", err, "The folder {{folder}} can't be opened. Choose another folder for this space.", dir)
}
