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

// shellLimit limits the login shell, because its startup files can hang on a network disk.
const shellLimit = 3 * time.Second

// shellMarker separates the answer from the output of startup files.
const shellMarker = "__weft_path__"

// loginPath runs the login shell and returns its PATH, or nil. It takes at most shellLimit.
func loginPath(shell string) []string {
	if shell == "" {
		for _, shell = range []string{"/bin/zsh", "/bin/bash", "/bin/sh"} {
			if isFile(shell) {
				break
			}
		}
	}
	// All shells, including fish and nu, understand this. $PATH differs between them; the environment doesn't.
	script := "echo " + shellMarker + "; printenv PATH; echo " + shellMarker
	args := []string{"-ilc", script}
	if name := filepath.Base(shell); name == "csh" || name == "tcsh" {
		args = []string{"-ic", script} // they accept -l only alone
	}
	ctx, cancel := context.WithTimeout(context.Background(), shellLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, args...)
	cmd.Env = append(os.Environ(), "WEFT_RESOLVING_ENVIRONMENT=1", "TERM=dumb")
	var out bytes.Buffer
	cmd.Stdout = &out
	// A separate session: otherwise an interactive shell would take over the terminal from which Weft was started, or
	// stop because it can't.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 100 * time.Millisecond // a daemon from a startup file may hold stdout
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
