//go:build unix

package agent

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// How long the login shell may take: start-up files can hang on a network disk.
const shellLimit = 3 * time.Second

// The marker keeps what start-up files print apart from the answer.
const shellMarker = "__weft_path__"

// loginPath asks the login shell for its PATH. It takes at most shellLimit and
// gives nil when there is no answer.
func loginPath(shell string) []string {
	if shell == "" {
		for _, shell = range []string{"/bin/zsh", "/bin/bash", "/bin/sh"} {
			if isFile(shell) {
				break
			}
		}
	}
	// Every shell, fish and nu included, understands this; $PATH is not the same
	// thing in all of them, the environment is.
	script := "echo " + shellMarker + "; printenv PATH; echo " + shellMarker
	args := []string{"-ilc", script}
	if name := filepath.Base(shell); name == "csh" || name == "tcsh" {
		args = []string{"-ic", script} // they take -l only alone
	}
	ctx, cancel := context.WithTimeout(context.Background(), shellLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, args...)
	cmd.Env = append(os.Environ(), "WEFT_RESOLVING_ENVIRONMENT=1", "TERM=dumb")
	var out bytes.Buffer
	cmd.Stdout = &out
	// A session of its own: an interactive shell would otherwise take the terminal
	// that Weft was started from, or stop because it cannot.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 100 * time.Millisecond // a daemon from a start-up file may hold stdout
	if err := cmd.Run(); err != nil && out.Len() == 0 && !errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	_, rest, ok := strings.Cut(out.String(), shellMarker+"\n")
	if !ok {
		return nil
	}
	path, _, ok := strings.Cut(rest, shellMarker)
	if !ok {
		return nil
	}
	return filepath.SplitList(strings.TrimSpace(path))
}
