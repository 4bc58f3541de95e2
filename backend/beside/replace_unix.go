//go:build unix

package beside

import (
	"os"
	"os/exec"
	"syscall"
)

// replaceBy runs a program in this process. It returns only where that fails.
func replaceBy(path string, args []string) (code int, err error) {
	return 0, syscall.Exec(path, append([]string{path}, args...), os.Environ())
}

// withoutWindow has nothing to do: only Windows shows one for a program without a terminal.
func withoutWindow(*exec.Cmd) {}
