package workspace

import (
	"context"
	"time"
)

const (
	deadline      = 30 * time.Second // for an operation on a disk, which may be one behind a network
	maxOperations = 32               // of one folder at a time, also of those that nobody waits for any more
)

// Within runs an operation on files of the folder, such as [Files.WriteText] with what goes along with it, and returns
// after 30 s at the latest, also where the disk doesn't respond: then with an error, while the operation continues by
// itself. Its context ends at the same time.
func (f *Files) Within(path string, op func(context.Context) error) error {
	_, err := within(context.Background(), f, path, func(ctx context.Context) (struct{}, error) { return struct{}{}, op(ctx) })
	return err
}

// quickly is within for what can't be ended early.
func quickly[T any](f *Files, path string, op func() (T, error)) (T, error) {
	return within(context.Background(), f, path, func(context.Context) (T, error) { return op() })
}

// within returns when outer ends, too.
func within[T any](outer context.Context, f *Files, path string, op func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(outer, f.deadline)
	select {
	case f.operations <- struct{}{}:
	case <-ctx.Done():
		cancel()
		var none T
		if outer.Err() != nil {
			return none, context.Cause(outer)
		}
		return none, refusal("timeout", ctx.Err(), "Couldn't access {{path}}: {{operations}} earlier file operations haven't finished. The disk doesn't respond.", path, cap(f.operations))
	}
	done := make(chan outcome, 1)
	go func() {
		defer cancel()
		defer func() { <-f.operations }()
		value, err := op(ctx)
		done <- outcome{value, err}
	}()
	select {
	case out := <-done:
		return out.value, out.err
	case <-ctx.Done():
	}
	select {
	case out := <-done: // in the last moment
		return out.value, out.err
	default:
		var none T
		if outer.Err() != nil {
			return none, context.Cause(outer)
		}
		return none, refusal("timeout", ctx.Err(), "Couldn't access {{path}} within {{deadline}}: the disk doesn't respond. The operation may still complete later.", path, f.deadline)
	}
}
