//go:build unix

package beside

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Replace runs a program in this process, with the same environment. It returns only where that fails. The files of
// keep are open in it, under the same file descriptors.
func Replace(path string, args []string, keep ...*os.File) (code int, err error) {
	for _, f := range keep {
		if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0); err != nil {
			return 0, err
		}
	}
	err = syscall.Exec(path, append([]string{path}, args...), os.Environ())
	runtime.KeepAlive(keep)
	return 0, err
}

// Follow is [Replace]: a program with a window needs nothing else here.
func Follow(path string, args []string) (code int, err error) { return Replace(path, args) }

// WithoutWindow has nothing to do: only Windows shows one for a program without a terminal.
func WithoutWindow(*exec.Cmd) {}
