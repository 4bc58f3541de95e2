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

	"weft/backend/agent/sandbox"
	"weft/backend/base/fault"
)

// launchSpec is a Spec with everything resolved.
type launchSpec struct {
	path                  string
	args, env             []string
	secrets               []string // for its pipe, in the form of env
	dir, tag              string
	stdin, stdout, stderr *os.File
	tty                   bool // stdout is a terminal that becomes the program's controlling terminal
	restriction           *sandbox.Restriction
}

// tree is an agent's process tree, seen from Weft through its supervisor.
type tree struct {
	pid        int
	tag        string
	start      string         // start time of pid, for the record
	supervisor *exec.Cmd      // or its guard, if there is one
	inner      identity       // of the supervisor itself
	control    *os.File       // commands to the supervisor; its end means that Weft is gone
	status     *os.File       // reports of the supervisor
	reports    *bufio.Scanner // over status
}

// report is one line from the supervisor to Weft.
type report struct {
	PID   int    `json:"pid,omitempty"`   // of the running agent
	Start string `json:"start,omitempty"` // its start time
	// Supervisor is the process that reports this.
	Supervisor identity `json:"supervisor,omitzero"`
	Errno      int      `json:"errno,omitempty"`  // the agent couldn't be started
	Ended      bool     `json:"ended,omitempty"`  // the agent ended …
	Code       int      `json:"code,omitempty"`   // … with this code
	Signal     string   `json:"signal,omitempty"` // … or by this signal
}

// launch starts the supervisor, which starts the agent, and waits until the agent runs.
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
	// Only the program gets its environment: the supervisor has it neither in its own environment nor in its
	// arguments.
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
	//nolint:noctx // ctx limits the start, not the lifetime
	cmd := exec.Command(self[0], append(args, s.args...)...)
	cmd.Args[0] = "weft" // instead of the path in /proc
	cmd.Env, cmd.Dir = watcherEnviron(s.tag), s.dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.stdin, s.stdout, s.stderr
	cmd.ExtraFiles = files
	// A separate session: Ctrl+C in the terminal from which Weft was started must reach only Weft, and an agent must
	// not be able to prompt there.
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

// feed returns a pipe from which the list can be read, each entry terminated by NUL. A goroutine writes it at the
// speed of the reader, and ends if the reader is gone.
func feed(list []string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	text := strings.Join(list, "\x00") + "\x00"
	go func() {
		_, _ = io.WriteString(w, text) // the reader is gone: the program didn't start, or has ended
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

// wait blocks until the tree is gone and reaped. It calls ended once, when the program itself has ended.
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

// Commands to the supervisor.
const (
	commandTerm = 'T'
	commandKill = 'K'
)

func (t *tree) terminate() { _, _ = t.control.Write([]byte{commandTerm}) }
func (t *tree) kill()      { _, _ = t.control.Write([]byte{commandKill}) }

// abandon kills a supervisor that doesn't respond. Its guard, or wait, then ends the tree.
func (t *tree) abandon() {
	if t.inner.PID != t.supervisor.Process.Pid {
		process{pid: t.inner.PID, start: t.inner.Start}.signal(syscall.SIGKILL)
		_ = t.supervisor.Process.Signal(syscall.SIGCONT)
		return
	}
	_ = t.supervisor.Process.Kill()
}

// killTagged is the fallback if the supervisor itself was killed: it kills the processes with the tree's tag in their
// environment.
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

// take reads from the pipe. It blocks only if wait is true.
func (o *output) take(b []byte, wait bool) (n int, err error) {
	var readErr error
	err = o.raw.Read(func(fd uintptr) bool {
		n, readErr = o.takeFrom(fd, b)
		return !wait || !errors.Is(readErr, unix.EAGAIN)
	})
	switch {
	case err != nil: // not joined, because os.IsTimeout doesn't unwrap errors
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

// waiting returns the number of bytes in the pipe. The mutex is held.
func (o *output) waiting() (n int64) {
	_ = o.raw.Control(func(fd uintptr) {
		bytes, err := unix.IoctlGetInt(int(fd), readable)
		if err == nil {
			n = int64(bytes)
		}
	})
	return n
}

// startError returns why an agent couldn't be started.
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
