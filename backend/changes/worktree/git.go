package worktree

import (
	"context"
	"errors"
	"strings"
	"time"

	"weft/backend/git"
)

// Timeouts for git.
const (
	lookTimeout   = 15 * time.Second
	changeTimeout = 5 * time.Minute // a checkout of a large repository
)

// run runs git in dir and returns its output. whole reports that the output is complete.
func run(ctx context.Context, dir string, args ...string) (out string, whole bool, err error) {
	return runWith(ctx, dir, git.Options{}, args...)
}

func runWith(ctx context.Context, dir string, opt git.Options, args ...string) (out string, whole bool, err error) {
	out, whole, err = git.Run(ctx, dir, opt, args...)
	return out, whole, git.Sentence(err)
}

// line is like run for output of one line, and removes the final line feed. The line itself may contain line feeds.
func line(ctx context.Context, dir string, args ...string) (string, error) {
	out, _, err := run(ctx, dir, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// exitCode returns the exit code of git, or -1 if it didn't run.
func exitCode(err error) int {
	var e *git.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return -1
}
