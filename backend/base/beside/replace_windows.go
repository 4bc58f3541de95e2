package beside

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/windows"
)

// Replace runs a program with the standard streams of this one and returns its exit code. The files of keep are open in
// it, under the same handles.
func Replace(path string, args []string, keep ...*os.File) (code int, err error) {
	signal.Ignore(os.Interrupt)        // the console tells both
	cmd := exec.Command(path, args...) //nolint:noctx // it takes the place of this program
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	for _, f := range keep {
		handle := windows.Handle(f.Fd())
		if err := windows.SetHandleInformation(handle, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return 0, err
		}
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(handle))
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// Follow starts a program that has a window and no terminal. It doesn't wait for it: this program is to end now.
func Follow(path string, args []string) (code int, err error) {
	cmd := exec.Command(path, args...) //nolint:noctx // it outlives this program
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS}
	return 0, cmd.Start()
}

// WithoutWindow keeps a program from opening a console of its own.
func WithoutWindow(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
}
