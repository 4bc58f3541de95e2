//go:build unix

package beside

import (
	"os"
	"os/exec"
	"syscall"
)

// Replace runs a program in this process, with the same environment. It returns only where that fails. Files that aren't closed by that stay open;
// keep has those of other systems.
func Replace(path string, args []string, _ ...*os.File) (code int, err error) {
	return 0, syscall.Exec(path, append([]string{path}, args...), os.Environ())
}

// Follow is [Replace]: a program with a window needs nothing else here.
func Follow(path string, args []string) (code int, err error) { return Replace(path, args) }

// withoutWindow has nothing to do: only Windows shows one for a program without a terminal.
func withoutWindow(*exec.Cmd) {}
