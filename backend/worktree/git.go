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
	lookPatience   = 15 * time.Second
	changePatience = 5 * time.Minute // a checkout of a large repository
)

// run runs git in dir and returns its output, of which whole tells that it is all.
func run(ctx context.Context, dir string, args ...string) (out string, whole bool, err error) {
	return runWith(ctx, dir, git.Options{}, args...)
}

func runWith(ctx context.Context, dir string, opt git.Options, args ...string) (out string, whole bool, err error) {
	out, whole, err = git.Run(ctx, dir, opt, args...)
	return out, whole, sentence(err)
}

// sentence makes a sentence of why git was not run to its end.
func sentence(err error) error {
	switch {
	case errors.Is(err, git.ErrMissing):
		return &Error{Code: CodeNoGit, Message: "Git 2.34 or newer wasn't found on PATH. Install it to work in worktrees.", Err: err}
	case errors.Is(err, git.ErrBare):
		return &Error{Code: CodeBare, Message: "This repository has no working tree. Choose a folder with a checkout of it.", Err: err}
	case errors.Is(err, git.ErrUnclear):
		return &Error{Code: CodeUnclear, Message: "Weft can't tell which commands this repository's configuration would run, so it doesn't run git there. Check .git/config.", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeTimeout, Message: "Git took too long to answer. Try again when the disk is less busy.", Err: err}
	}
	return err
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

// explained makes a refusal of git a sentence; any other error stays as it is.
func explained(doing string, err error) error {
	var e *git.Error
	if errors.As(err, &e) {
		return refusal(doing, e)
	}
	return err
}
