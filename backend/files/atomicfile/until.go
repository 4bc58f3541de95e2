package atomicfile

import (
	"context"
	"io"
)

// Until returns a reader that reads from r and fails with the error of ctx once ctx has ended, to cancel a long copy.
func Until(ctx context.Context, r io.Reader) io.Reader { return &until{ctx, r} }

type until struct {
	ctx context.Context //nolint:containedctx // io.Reader has no other way
	r   io.Reader
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
