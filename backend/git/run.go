package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Timeout limits a call whose context has no deadline.
const Timeout = 5 * time.Minute

// Limits for reading git's output.
const (
	maxOutput = 8 << 20
	maxStderr = 64 << 10
)

// Errors of calls, in addition to [*Error] and those of a context.
var (
	ErrMissing  = errors.New("git wasn't found, or is older than 2.34")
	ErrBare     = errors.New("the folder holds the files of a bare repository")
	ErrConnects = errors.New("the repository's own configuration names commands or addresses for connections")
	ErrUnclear  = errors.New("the repository's own configuration can't be read for certain")
)

// Error is a failed git call.
type Error struct {
	Code   int // exit code; -1 if git didn't run to its end
	Stderr string
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("git: %v: %s", e.Err, e.Stderr) }
func (e *Error) Unwrap() error { return e.Err }

// Options configures a call.
type Options struct {
	// Agreed is the token from [Commands] to which the user has agreed. The repository's filters are run as long as
	// the token is unchanged.
	Agreed string
	// Checkout lets filters of the user's own configuration fetch what they need: password helpers stay enabled unless
	// the repository sets some.
	Checkout bool
	// Push lets git connect to another repository, only over HTTP and SSH, with the user's own helpers for passwords
	// and keys. The call returns [ErrConnects] if the repository itself configures connections.
	Push bool
	// Index is the index file, or "" for that of the worktree.
	Index string
	// Input is git's standard input; nil means empty.
	Input io.Reader
}

// Run runs git in dir and returns its output. whole reports that the output is complete.
func Run(ctx context.Context, dir string, opt Options, args ...string) (out string, whole bool, err error) {
	stdout := &limited{max: maxOutput}
	err = run(ctx, dir, opt, args, func(cmd *exec.Cmd) error {
		cmd.Stdout = stdout
		return cmd.Run()
	})
	return stdout.buf.String(), !stdout.full, err
}

// Said runs git in dir and returns the messages of git and the other repository.
func Said(ctx context.Context, dir string, opt Options, args ...string) (said string, err error) {
	err = run(ctx, dir, opt, args, func(cmd *exec.Cmd) error {
		err := cmd.Run()
		if l, ok := cmd.Stderr.(*limited); ok {
			said = l.buf.String()
		}
		return err
	})
	return said, err
}

// Stream runs git in dir and passes its output to read as it arrives. When read returns, git is killed.
func Stream(ctx context.Context, dir string, read func(io.Reader) error, args ...string) error {
	return run(ctx, dir, Options{}, args, func(cmd *exec.Cmd) error {
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		enough, err := reads(read, out)
		if enough {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			return err
		}
		return errors.Join(err, cmd.Wait())
	})
}

// reads reports in enough whether read returned before the end of the output.
func reads(read func(io.Reader) error, out io.Reader) (enough bool, err error) {
	err = read(out)
	var one [1]byte
	n, _ := out.Read(one[:])
	return n > 0 || err != nil, err
}

func run(ctx context.Context, dir string, opt Options, args []string, start func(*exec.Cmd) error) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, Timeout)
		defer cancel()
	}
	program, err := program(ctx)
	if err != nil {
		return err
	}
	env, err := environment(ctx, program, dir, opt)
	if err != nil {
		return err
	}
	stderr := &limited{max: maxStderr}
	if opt.Index != "" {
		env = append(env, "GIT_INDEX_FILE="+opt.Index)
	}
	cmd := command(ctx, program, dir, env, args)
	cmd.Stdin, cmd.Stderr = opt.Input, stderr
	return ended(ctx, start(cmd), stderr)
}

func command(ctx context.Context, program, dir string, env, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, append([]string{"--no-pager", "--no-optional-locks"}, args...)...)
	cmd.Dir, cmd.Env = dir, env
	cmd.WaitDelay = time.Second
	return cmd
}

func ended(ctx context.Context, err error, stderr *limited) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return ErrMissing
	case errors.As(err, &exit):
		return &Error{Code: exit.ExitCode(), Stderr: stderr.buf.String(), Err: err}
	case errors.Is(err, os.ErrNotExist): // the folder
		return &Error{Code: -1, Err: err}
	}
	return &Error{Code: -1, Stderr: stderr.buf.String(), Err: err}
}

// limited is a buffer that keeps only the beginning of what is written.
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
