//go:build unix

package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weft/backend/agent/sandbox"
	"weft/backend/base/beside"
	"weft/backend/settings/secret"
)

// File descriptors of the supervisor, after the agent's three streams.
const (
	controlFD = 3
	statusFD  = 4
	environFD = 5 // the agent's environment, as written by feed
	secretsFD = 6 // with secretsFlag: the pipe that becomes the agent's secret.HandedFD
)

const (
	leftoverGrace = 500 * time.Millisecond // from SIGTERM to SIGKILL after the agent or Weft is gone
	killEvery     = 10 * time.Millisecond  // repeated, because a tree may fork while it is being killed
	giveUp        = 10 * time.Second       // a process blocked in the kernel can't be killed
)

const (
	writtenTimeout = time.Second // how long a program that is still being written is retried
	writtenEvery   = 10 * time.Millisecond
)

// helperName is a program next to Weft's own that contains only the supervisor. If it is shipped, it is preferred: it
// starts in 2 ms, while the window binary must first load the libraries of the web view.
const helperName = "weft-supervise"

// superviseCommand is Weft's command that runs the supervisor.
const superviseCommand = "supervise"

const startedByWeft = "weft supervise is started by Weft itself, to watch over an agent."

// supervisor returns the command line of the supervisor, without the program to run.
func supervisor() []string {
	exe, err := os.Executable()
	if err == nil && filepath.Base(exe) != helperName {
		if helper, ok := beside.Find(helperName); ok {
			return []string{helper}
		}
	}
	return []string{self(exe), superviseCommand}
}

const (
	ttyFlag     = "--tty"     // makes stdout the program's controlling terminal
	secretsFlag = "--secrets" // passes on the pipe at secretsFD
	// restrictFlag is followed by a [sandbox.Restriction] for the agent, as JSON. The supervisor's own thread takes it
	// too, because it writes no files.
	restrictFlag = "--restrict"
)

// SuperviseMain runs the hidden command `weft supervise [--tty] [--secrets] [--restrict JSON] -- COMMAND ARGS…` and
// returns its exit code. It runs between Weft and one agent. It starts the agent with its own standard streams and
// working directory, and with the environment that it reads from descriptor 5. It adopts every orphan in the agent's
// tree. It kills the whole tree when the agent has ended, when Weft requests it, and when Weft is gone, which it
// notices by the end of the pipe on descriptor 3. It reports on descriptor 4, and ends when no process of the tree is
// left.
func SuperviseMain(args []string) int {
	if len(args) > 0 && guardFlag != "" && args[0] == guardFlag {
		return guardMain(args[1:])
	}
	secret.Seal() // it holds the agent's environment
	attr := agentAttr()
	if len(args) > 0 && args[0] == ttyFlag {
		args = args[1:]
		// A session instead of a group, because only a session leader can have a terminal.
		attr.Setpgid, attr.Setsid, attr.Setctty, attr.Ctty = false, true, true, 1
	}
	fds, files := []int{controlFD, statusFD, environFD}, []uintptr{0, 1, 2}
	if len(args) > 0 && args[0] == secretsFlag {
		args = args[1:]
		fds, files = append(fds, secretsFD), append(files, secretsFD)
	}
	var restriction sandbox.Restriction
	restricted := len(args) > 1 && args[0] == restrictFlag
	if restricted {
		if err := json.Unmarshal([]byte(args[1]), &restriction); err != nil {
			fmt.Fprintln(os.Stderr, startedByWeft)
			return 2
		}
		args = args[2:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	for _, fd := range fds {
		if !fdOpen(fd) || len(args) == 0 {
			fmt.Fprintln(os.Stderr, startedByWeft)
			return 2
		}
		unix.CloseOnExec(fd)
	}
	// The agent dies with the thread that started it (see agentAttr), so this thread must live as long as the
	// supervisor.
	runtime.LockOSThread()
	becomeSupervisor()
	mark(os.Getenv(tagVariable))
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)

	status := os.NewFile(statusFD, "status")
	env, err := fed(os.NewFile(environFD, "environment"))
	var pid int
	if err == nil && restricted {
		err = restriction.Take() // the agent inherits it from this thread
	}
	if err == nil {
		if len(files) > 3 {
			env = append(env, fmt.Sprintf("%s=%d", secret.HandedVariable, secret.HandedFD))
		}
		pid, err = begin(args, &syscall.ProcAttr{Env: env, Files: files, Sys: attr})
	}
	if err != nil {
		errno := syscall.EIO
		errors.As(err, &errno)
		send(status, report{Errno: int(errno)})
		return 127
	}
	if len(files) > 3 {
		_ = unix.Close(secretsFD) // so that Weft notices if the agent doesn't read it
	}
	start, _ := startTime(pid)
	own := identify(os.Getpid())
	send(status, report{PID: pid, Start: start, Supervisor: own})
	letGo()

	s := &supervision{agent: pid, status: status, signals: signals, control: make(chan byte), reaped: make(chan reaped)}
	go s.listen(os.NewFile(controlFD, "control"))
	go s.reap()
	return s.run()
}

// begin starts the agent. A program that is still being written, for instance by its installer, is retried for a
// while, because the system doesn't report when the write is complete.
func begin(args []string, attr *syscall.ProcAttr) (int, error) {
	for limit := time.Now().Add(writtenTimeout); ; time.Sleep(writtenEvery) {
		pid, err := syscall.ForkExec(args[0], args, attr)
		if !errors.Is(err, syscall.ETXTBSY) || time.Now().After(limit) {
			return pid, err
		}
	}
}

func fdOpen(fd int) bool {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil
}

// fed reads what feed writes.
func fed(pipe *os.File) ([]string, error) {
	defer pipe.Close()
	text, err := io.ReadAll(pipe)
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"), err
}

// letGo closes the supervisor's copies of the agent's streams and its working directory, so that only the agent
// decides when they end.
func letGo() {
	if null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0); err == nil {
		for fd := range 3 {
			_ = unix.Dup2(null, fd)
		}
		_ = unix.Close(null)
	}
	_ = os.Chdir("/")
}

func send(f *os.File, r report) {
	line, _ := json.Marshal(r)
	_, _ = f.Write(append(line, '\n')) // if Weft is gone, the control pipe shows it
}

type reaped struct {
	pid    int
	status syscall.WaitStatus
}

// supervision is the state of a supervisor. Only run accesses it.
type supervision struct {
	agent   int
	status  *os.File
	signals chan os.Signal
	control chan byte   // closed when Weft is gone
	reaped  chan reaped // closed when no child is left

	code     int
	deadline <-chan time.Time // from SIGTERM to SIGKILL
	tick     <-chan time.Time // while killing
	giveUp   <-chan time.Time
}

// listen forwards Weft's commands.
func (s *supervision) listen(f *os.File) {
	defer close(s.control)
	var b [1]byte
	for {
		if _, err := f.Read(b[:]); err != nil {
			return
		}
		s.control <- b[0]
	}
}

// reap waits for every child, including adopted ones, until there are none.
func (s *supervision) reap() {
	defer close(s.reaped)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return
		default:
			s.reaped <- reaped{pid, status}
		}
	}
}

// run continues until the tree is gone. It returns the agent's exit code in the form of a shell.
func (s *supervision) run() int {
	gone := s.reaped
	control := s.control
	for {
		select {
		case r, ok := <-gone:
			if ok {
				s.ended(r)
				continue
			}
			gone = nil
			if len(s.members()) == 0 {
				return s.code
			}
			s.kill() // only if orphans aren't adopted
		case command, ok := <-control:
			switch {
			case !ok:
				control = nil
				s.terminate(leftoverGrace)
			case command == commandTerm:
				s.terminate(giveUp)
			default:
				s.kill()
			}
		case <-s.signals:
			s.terminate(termGrace)
		case <-s.deadline:
			s.kill()
		case <-s.tick:
			left := s.members()
			if gone == nil && len(left) == 0 {
				return s.code
			}
			signalAll(left, syscall.SIGKILL)
		case <-s.giveUp:
			return s.code
		}
	}
}

// ended records the end of a child. When the agent has ended, it terminates the rest of the tree.
func (s *supervision) ended(r reaped) {
	if r.pid != s.agent {
		return
	}
	end := report{Ended: true, Code: r.status.ExitStatus()}
	s.code = end.Code
	if r.status.Signaled() {
		end.Code, end.Signal = 0, unix.SignalName(r.status.Signal())
		s.code = 128 + int(r.status.Signal())
	}
	send(s.status, end)
	if s.tick == nil {
		s.terminate(leftoverGrace)
	}
}

// terminate sends SIGTERM to all processes, and kills the rest after the grace period.
func (s *supervision) terminate(grace time.Duration) {
	signalAll(s.members(), syscall.SIGTERM)
	signalAll(s.members(), syscall.SIGCONT) // a stopped process doesn't handle SIGTERM
	s.deadline = time.After(grace)
}

func (s *supervision) kill() {
	if s.tick == nil {
		s.tick = time.Tick(killEvery)
		s.giveUp = time.After(giveUp)
	}
	signalAll(s.members(), syscall.SIGKILL)
}

func (s *supervision) members() []process { return members(s.agent, os.Getenv(tagVariable)) }

func signalAll(list []process, sig syscall.Signal) {
	for _, p := range list {
		p.signal(sig)
	}
}
