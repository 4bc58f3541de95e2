//go:build unix

package beside

import (
	"os"
	"os/exec"
	"syscall"
)

// Replace runs a program in this process, with the same environment. It returns only where that fails.
func Replace(path string, args []string) (code int, err error) {
	return 0, syscall.Exec(path, append([]string{path}, args...), os.Environ())
}

// withoutWindow has nothing to do: only Windows shows one for a program without a terminal.
func withoutWindow(*exec.Cmd) {}
