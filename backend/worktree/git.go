package worktree

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"
)

// How long git may take.
const (
	lookPatience   = 15 * time.Second
	changePatience = 5 * time.Minute // a checkout of a large repository
)

// maxOutput is how much of git's output is read.
const maxOutput = 8 << 20

// limited keeps the beginning of what is written to it.
type limited struct {
	buf  bytes.Buffer
	max  int
	full bool
}

func (l *limited) Write(p []byte) (int, error) {
	room := l.max - l.buf.Len()
	if room < len(p) {
		l.full = true
		l.buf.Write(p[:max(room, 0)])
	} else {
		l.buf.Write(p)
	}
	return len(p), nil
}

// git runs git in dir and answers its output, of which whole tells that it is all.
func git(ctx context.Context, dir string, args ...string) (out string, whole bool, err error) {
	args = append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "SSH_ASKPASS=true", "LC_ALL=C", "LANGUAGE=C")
	stdout, stderr := &limited{max: maxOutput}, &limited{max: 64 << 10}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Run()
	var missing *exec.Error
	var exit *exec.ExitError
	switch {
	case err == nil:
		return stdout.buf.String(), !stdout.full, nil
	case ctx.Err() != nil:
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", false, &Error{Code: CodeTimeout, Message: "Git took too long to answer. Try again when the disk is less busy.", Err: err}
		}
		return "", false, context.Cause(ctx)
	case errors.As(err, &missing):
		return "", false, &Error{Code: CodeNoGit, Message: "Git was not found on PATH. Install it to work in worktrees.", Err: err}
	case errors.As(err, &exit):
		return stdout.buf.String(), !stdout.full, &gitError{code: exit.ExitCode(), stderr: stderr.buf.String(), err: err}
	}
	return "", false, &gitError{code: -1, stderr: stderr.buf.String(), err: err}
}

// line is git for an answer of one line, without its end. What stands in it may hold line ends.
func line(ctx context.Context, dir string, args ...string) (string, error) {
	out, _, err := git(ctx, dir, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// exitCode answers how git ended, -1 where it did not run.
func exitCode(err error) int {
	var e *gitError
	if errors.As(err, &e) {
		return e.code
	}
	return -1
}

// explained makes a refusal of git a sentence; any other error stays as it is.
func explained(doing string, err error) error {
	var e *gitError
	if errors.As(err, &e) {
		return refusal(doing, e)
	}
	return err
}
