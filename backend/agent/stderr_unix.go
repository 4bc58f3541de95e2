//go:build unix

package agent

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// follow returns a function that copies a pipe to the tail until its end. From now on, drain can take what is in the
// pipe sooner.
func (t *tail) follow(f *os.File) (copy func()) {
	raw, err := f.SyscallConn()
	if err != nil {
		return func() { _, _ = io.Copy(t, f) }
	}
	t.mu.Lock()
	t.pipe = raw
	t.mu.Unlock()
	return func() { t.copy(raw) }
}

func (t *tail) copy(raw syscall.RawConn) {
	for more := true; more; {
		err := raw.Read(func(fd uintptr) bool {
			n, err := t.read(fd)
			more = n > 0
			return !errors.Is(err, syscall.EAGAIN)
		})
		if err != nil {
			break
		}
	}
	t.mu.Lock()
	t.pipe = nil
	t.mu.Unlock()
}

// drain takes what is in the pipe now, so that the tail contains everything that the agent wrote to stderr before its
// latest output on stdout.
func (t *tail) drain() {
	t.mu.Lock()
	raw := t.pipe
	t.mu.Unlock()
	if raw == nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		for range 2 * StderrLimit / readSize { // bounded, for an agent that never stops writing
			if n, err := t.read(fd); n <= 0 || err != nil {
				return
			}
		}
	})
}

// readSize is the size of one read, in bytes.
const readSize = 8 << 10

// read takes what is in the pipe once, without blocking. The mutex is held between the pipe and the tail.
func (t *tail) read(fd uintptr) (n int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b [readSize]byte
	if n, err = readNow(fd, b[:]); n > 0 {
		t.add(b[:n])
	}
	return n, err
}

// readNow reads from a pipe without blocking. The error is EAGAIN if there is nothing.
func readNow(fd uintptr, b []byte) (n int, err error) {
	for {
		n, err = syscall.Read(int(fd), b)
		if !errors.Is(err, syscall.EINTR) {
			return max(n, 0), err
		}
	}
}
