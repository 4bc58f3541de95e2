package beside

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/windows"
)

// Replace runs a program with the standard streams of this one and returns its exit code.
func Replace(path string, args []string) (code int, err error) {
	signal.Ignore(os.Interrupt)        // the console tells both
	cmd := exec.Command(path, args...) //nolint:noctx // it takes the place of this program
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// withoutWindow keeps the program from opening a console of its own.
func withoutWindow(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
}
