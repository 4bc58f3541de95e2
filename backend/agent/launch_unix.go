//go:build unix

package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weft/backend/fault"
	"weft/backend/sandbox"
)

// launchSpec is a Spec with everything looked up.
type launchSpec struct {
	path                  string
	args, env             []string
	secrets               []string // of its pipe, in the form of env
	dir, tag              string
	stdin, stdout, stderr *os.File
	tty                   bool // stdout is a terminal that becomes the program's own
	restriction           *sandbox.Restriction
}

// tree is an agent's process tree, seen from Weft through its supervisor.
type tree struct {
	pid        int
	tag        string
	start      string         // start time of pid, for the record
	supervisor *exec.Cmd      // or its guard, where there is one
	inner      identity       // of the supervisor itself
	control    *os.File       // commands to the supervisor; its end means: Weft is gone
	status     *os.File       // reports of the supervisor
	reports    *bufio.Scanner // over status
}

// report is one line from the supervisor to Weft.
type report struct {
	PID   int    `json:"pid,omitempty"`   // the agent runs
	Start string `json:"start,omitempty"` // its start time
	// Supervisor is who reports that.
	Supervisor identity `json:"supervisor,omitzero"`
	Errno      int      `json:"errno,omitempty"`  // or it could not be started
	Ended      bool     `json:"ended,omitempty"`  // the agent ended …
	Code       int      `json:"code,omitempty"`   // … with this code
	Signal     string   `json:"signal,omitempty"` // … or by this signal
}

// launch starts the supervisor, which starts the agent, and waits until it has.
func launch(ctx context.Context, s launchSpec) (t *tree, err error) {
	controlR, controlW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	statusR, statusW, err := os.Pipe()
	if err != nil {
		_ = controlR.Close()
		_ = controlW.Close()
		return nil, err
	}
	files := []*os.File{controlR, statusW}
	// The program's environment is for it alone: the supervisor has it neither in its own nor in its arguments.
	env, err := feed(s.env)
	if err == nil {
		files = append(files, env)
	}
	self := supervisor()
	args := slices.Clone(self[1:])
	if guardFlag != "" {
		args = append(args, guardFlag)
	}
	if s.tty {
		args = append(args, ttyFlag)
	}
	if len(s.secrets) > 0 && err == nil {
		var secrets *os.File
		if secrets, err = feed(s.secrets); err == nil {
			args, files = append(args, secretsFlag), append(files, secrets)
		}
	}
	if s.restriction != nil && err == nil {
		var text []byte
		text, err = json.Marshal(s.restriction)
		args = append(args, restrictFlag, string(text))
	}
	args = append(args, "--", s.path)
	//nolint:noctx // ctx bounds the start, not the life
	cmd := exec.Command(self[0], append(args, s.args...)...)
	cmd.Args[0] = "weft" // not the path under /proc
	cmd.Env, cmd.Dir = watcherEnviron(s.tag), s.dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.stdin, s.stdout, s.stderr
	cmd.ExtraFiles = files
	// A session of its own: Ctrl+C in the terminal that Weft was started from must
	// reach Weft only, and an agent must not be able to ask questions there.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err == nil {
		err = cmd.Start()
	}
	for _, f := range files {
		_ = f.Close()
	}
	if err != nil {
		_ = controlW.Close()
		_ = statusR.Close()
		return nil, fmt.Errorf("start the supervisor: %w", err)
	}
	t = &tree{tag: s.tag, supervisor: cmd, control: controlW, status: statusR, reports: bufio.NewScanner(statusR)}

	stopWaiting := context.AfterFunc(ctx, func() { wake(statusR) })
	first, ok := t.next()
	if !stopWaiting() {
		ok = false // ctx ended; the supervisor sees the closed pipe and cleans up
	}
	switch {
	case !ok && ctx.Err() != nil:
		err = ctx.Err()
	case !ok:
		err = errors.New("the supervisor ended before it started the agent")
	case first.Errno != 0:
		err = syscall.Errno(first.Errno)
	default:
		t.pid, t.start, t.inner = first.PID, first.Start, first.Supervisor
		return t, nil
	}
	_ = controlW.Close()
	_ = statusR.Close()
	_ = cmd.Wait()
	return nil, err
}

// feed returns a pipe from which the list can be read, each entry ended by a NUL. It is written as fast as it is read;
// where nobody reads it any more, that ends.
func feed(list []string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	text := strings.Join(list, "\x00") + "\x00"
	go func() {
		_, _ = io.WriteString(w, text) // the reader is gone: the program has not started, or has ended
		_ = w.Close()
	}()
	return r, nil
}

func (t *tree) next() (report, bool) {
	var r report
	if !t.reports.Scan() || json.Unmarshal(t.reports.Bytes(), &r) != nil {
		return report{}, false
	}
	return r, true
}

// wait blocks until the tree is gone and reaped. It calls ended once, as soon as the program
// itself has ended.
func (t *tree) wait(ended func(Exit)) {
	lost := true
	for {
		r, ok := t.next()
		if !ok {
			break
		}
		if r.Ended && lost {
			lost = false
			ended(Exit{Code: r.Code, Signal: r.Signal})
		}
	}
	err := t.supervisor.Wait()
	if lost || err != nil && t.supervisor.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.killTagged()
	}
	_ = t.control.Close()
	_ = t.status.Close()
	if lost {
		ended(Exit{Lost: true})
	}
}

// The commands to the supervisor.
const (
	commandTerm = 'T'
	commandKill = 'K'
)

func (t *tree) terminate() { _, _ = t.control.Write([]byte{commandTerm}) }
func (t *tree) kill()      { _, _ = t.control.Write([]byte{commandKill}) }

// abandon kills a supervisor that does not do its work; its guard or wait then does it.
func (t *tree) abandon() {
	if t.inner.PID != t.supervisor.Process.Pid {
		process{pid: t.inner.PID, start: t.inner.Start}.signal(syscall.SIGKILL)
		_ = t.supervisor.Process.Signal(syscall.SIGCONT)
		return
	}
	_ = t.supervisor.Process.Kill()
}

// killTagged is the second line of defence, when the supervisor itself was killed:
// what is left of the tree carries the tag in its environment.
func (t *tree) killTagged() {
	limit := time.NewTimer(killGrace)
	defer limit.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		left := tagged(t.tag)
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			p.signal(syscall.SIGKILL)
		}
		select {
		case <-tick.C:
		case <-limit.C:
			return
		}
	}
}

// take reads from the pipe. It blocks until there is something only if wait is true.
func (o *output) take(b []byte, wait bool) (n int, err error) {
	var readErr error
	err = o.raw.Read(func(fd uintptr) bool {
		n, readErr = o.takeFrom(fd, b)
		return !wait || !errors.Is(readErr, unix.EAGAIN)
	})
	switch {
	case err != nil: // not joined: os.IsTimeout looks into nothing else
	case readErr != nil:
		err = readErr
	case n == 0 && len(b) > 0:
		err = io.EOF
	}
	return n, err
}

func (o *output) takeFrom(fd uintptr, b []byte) (n int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err = readNow(fd, b)
	o.taken += int64(n)
	return n, err
}

// waiting returns how many bytes are in the pipe. The mutex is held.
func (o *output) waiting() (n int64) {
	_ = o.raw.Control(func(fd uintptr) {
		bytes, err := unix.IoctlGetInt(int(fd), readable)
		if err == nil {
			n = int64(bytes)
		}
	})
	return n
}

// startError says why an agent could not be started.
func startError(err error, path string, spec Spec) error {
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("start %s: %w", spec.name(), err)
	case errors.Is(err, syscall.ENOEXEC):
		return fault.New(CodeNotExecutable, "{{path}} isn't a program for this machine. If it is a script, its first line must name an interpreter, such as #!/bin/sh.", path).Because(err)
	case errors.Is(err, syscall.ETXTBSY):
		return fault.New(CodeStartFailed, "{{path}} is being written by another program, probably an update. Try again when that has finished.", path).Because(err)
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return notExecutable(path, err)
	case errors.Is(err, fs.ErrNotExist) && filepath.IsAbs(path):
		return fault.New(CodeNotExecutable, "{{path}} needs a program that wasn't found. Check its first line, or reinstall it.", path).Because(err)
	}
	return fault.New(CodeStartFailed, "Couldn't start {{name}}: {{reason}}.", spec.name(), err).Because(err)
}
