package procfs

import (
	"errors"
	"io"
	"os"
	"strconv"
)

// Environ returns the environment with which a process was started, each variable ended by a NUL. It is empty for one
// that has ended, and for a moment while it executes another program. Errors are those of the file system: there is no
// such process, or it is someone else's.
func Environ(pid int) ([]byte, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	// In few large pieces: the file ends early if the process executes another program between two reads.
	env, n := make([]byte, 64<<10), 0
	for {
		read, err := f.Read(env[n:])
		if n += read; err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return env[:n], err
		}
		if n == len(env) {
			env = append(env, make([]byte, n)...)
		}
	}
}
