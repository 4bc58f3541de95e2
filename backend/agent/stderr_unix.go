//go:build unix

package agent

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// follow returns what writes to the tail what comes out of a pipe, until its end. From now on what is in the pipe can be taken sooner by drain.
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

// drain takes what is in the pipe right now: what an agent wrote to stderr before it wrote something to stdout is in the tail then.
func (t *tail) drain() {
	t.mu.Lock()
	raw := t.pipe
	t.mu.Unlock()
	if raw == nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		for range 2 * StderrLimit / readSize { // an agent that never stops writing holds nobody up
			if n, err := t.read(fd); n <= 0 || err != nil {
				return
			}
		}
	})
}

// readSize is how much is read at once, in bytes.
const readSize = 8 << 10

// read takes once what is in the pipe, without waiting for it. Nobody sees the tail between the pipe and it.
func (t *tail) read(fd uintptr) (n int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b [readSize]byte
	if n, err = readNow(fd, b[:]); n > 0 {
		t.add(b[:n])
	}
	return n, err
}

// readNow reads what is in a pipe without waiting for more. The error is EAGAIN where nothing is.
func readNow(fd uintptr, b []byte) (n int, err error) {
	for {
		n, err = syscall.Read(int(fd), b)
		if !errors.Is(err, syscall.EINTR) {
			return max(n, 0), err
		}
	}
}
