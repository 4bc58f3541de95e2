package workspace

import (
	"context"
	"time"
)

const (
	deadline      = 30 * time.Second // for a disk operation, also on a network drive
	maxOperations = 32               // concurrent operations of one folder, including those whose callers gave up
)

// Within runs an operation on files of the folder, such as [Files.WriteText] and what belongs to it. If the disk
// doesn't respond within 30 s, it returns an error and the operation continues in the background. The operation's
// context ends at the same time.
func (f *Files) Within(path string, op func(context.Context) error) error {
	_, err := within(context.Background(), f, path, func(ctx context.Context) (struct{}, error) { return struct{}{}, op(ctx) })
	return err
}

// withDeadline is like within for an operation that can't be canceled.
func withDeadline[T any](f *Files, path string, op func() (T, error)) (T, error) {
	return within(context.Background(), f, path, func(context.Context) (T, error) { return op() })
}

// within runs op. It returns when op returns, outer ends, or the deadline passes.
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
	case out := <-done: // both at the same time
		return out.value, out.err
	default:
		var none T
		if outer.Err() != nil {
			return none, context.Cause(outer)
		}
		return none, refusal("timeout", ctx.Err(), "Couldn't access {{path}} within {{deadline}}: the disk doesn't respond. The operation may still complete later.", path, f.deadline)
	}
}
