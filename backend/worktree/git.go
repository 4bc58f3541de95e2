package worktree

import (
	"context"
	"errors"
	"strings"
	"time"

	"weft/backend/git"
)

// How long git may take.
const (
	lookTimeout   = 15 * time.Second
	changeTimeout = 5 * time.Minute // a checkout of a large repository
)

// run runs git in dir and returns its output, of which whole tells that it is all.
func run(ctx context.Context, dir string, args ...string) (out string, whole bool, err error) {
	return runWith(ctx, dir, git.Options{}, args...)
}

func runWith(ctx context.Context, dir string, opt git.Options, args ...string) (out string, whole bool, err error) {
	out, whole, err = git.Run(ctx, dir, opt, args...)
	return out, whole, git.Sentence(err)
}

// line is run for an answer of one line, without its end. What is in it may hold line ends.
func line(ctx context.Context, dir string, args ...string) (string, error) {
	out, _, err := run(ctx, dir, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// exitCode returns how git ended, -1 where it did not run.
func exitCode(err error) int {
	var e *git.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return -1
}
