package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"github.com/charmbracelet/x/conpty"
	"golang.org/x/sys/windows"

	"weft/backend/agent/sandbox"
	"weft/backend/base/fault"
)

// launchSpec is a Spec with everything resolved.
type launchSpec struct {
	path                  string
	args, env             []string
	secrets               []string // in the form of env, to which they are added here
	dir, tag              string
	stdin, stdout, stderr *os.File
	tty                   *conpty.ConPty       // replaces the three streams
	restriction           *sandbox.Restriction // not supported here
}

// tree is an agent's process tree: a Job Object, which no process can leave, and which the system ends when Weft's
// handle is closed, however Weft ends.
type tree struct {
	pid   int
	start string
	job   windows.Handle
	root  *os.Process
}

// launch starts the agent suspended, puts it into its job and then resumes it, so that everything that it starts is in
// the job.
func launch(_ context.Context, s launchSpec) (*tree, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	s.env = append(s.env, s.secrets...)
	root, err := startSuspended(s)
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	t := &tree{pid: root.Pid, job: job, root: root}
	if err := t.admit(); err != nil {
		_ = root.Kill()
		_, _ = root.Wait()
		_ = windows.CloseHandle(job)
		return nil, err
	}
	t.start, _ = startTime(t.pid)
	return t, nil
}

func startSuspended(s launchSpec) (*os.Process, error) {
	if s.tty != nil {
		return startInConsole(s)
	}
	cmd := exec.Command(s.path, s.args...)
	cmd.Env, cmd.Dir = s.env, s.dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.stdin, s.stdout, s.stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
	err := cmd.Start()
	return cmd.Process, err
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create the job object: %w", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, fmt.Errorf("set up the job object: %w", err)
	}
	return job, nil
}

// admit puts the suspended process into the job and resumes its first thread.
func (t *tree) admit() error {
	handle, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(t.pid))
	if err != nil {
		return fmt.Errorf("open the agent's process: %w", err)
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	if err := windows.AssignProcessToJobObject(t.job, handle); err != nil {
		return fmt.Errorf("put the agent into its job: %w", err)
	}
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer func() { _ = windows.CloseHandle(threads) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != uint32(t.pid) {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("open the agent's thread: %w", err)
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		return err
	}
	return errors.New("the agent has no thread")
}

// wait blocks until the agent has ended, calls ended, ends the rest of the job and closes it.
func (t *tree) wait(ended func(Exit)) {
	state, err := t.root.Wait()
	if err != nil {
		ended(Exit{Lost: true})
	} else {
		ended(Exit{Code: state.ExitCode()})
	}
	t.kill()
	_ = windows.CloseHandle(t.job)
}

// terminate does nothing: a program without a window can't be asked to end.
func (t *tree) terminate() {}
func (t *tree) kill()      { _ = windows.TerminateJobObject(t.job, 1) }
func (t *tree) abandon()   { _ = t.root.Kill() }

func (t *tree) watcher() identity { return identity{} }

// SuperviseMain isn't needed on Windows.
func SuperviseMain([]string) int {
	fmt.Fprintln(os.Stderr, "weft supervise isn't needed on Windows.")
	return 2
}

// killLeftovers does nothing: the job ended together with its Weft.
func killLeftovers(record) bool { return false }

func bootID() string { return "" }

// startTime returns when a process started, with a resolution of 100 ns.
func startTime(pid int) (string, error) {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", err
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(handle, &created, &exited, &kernel, &user); err != nil {
		return "", err
	}
	if exited.Nanoseconds() > created.Nanoseconds() {
		return "", os.ErrProcessDone
	}
	return time.Unix(0, created.Nanoseconds()).UTC().Format(time.RFC3339Nano), nil
}

// take reads from the pipe. Without wait it reads nothing, because a pipe has no deadline on Windows; it ends with the
// job.
func (o *output) take(b []byte, wait bool) (n int, err error) {
	if !wait {
		return 0, nil
	}
	n, err = o.file.Read(b)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken += int64(n)
	return n, err
}

// waiting returns 0: on Windows only what has left the pipe counts. The mutex is held.
func (o *output) waiting() int64 { return 0 }

func startError(err error, path string, spec Spec) error {
	return fault.New(CodeStartFailed, "Couldn't start {{name}} in {{path}}: {{reason}}.", spec.name(), path, err).Because(err)
}
