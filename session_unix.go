//go:build unix

package main

import (
	"io"
	"os"
	"strconv"
	"syscall"
)

// envSession says at which file descriptor a restarted server finds the secrets of its session. It is a pipe, because an environment can be read by all
// programs of the user.
const envSession = "WEFT_SERVE_SESSION"

const maxSession = 4 << 10

// passSession leaves the secrets of a session to the program that takes the place of this one, in which what it needs is open by itself.
func passSession(secrets []byte) (keep []*os.File) {
	var ends [2]int
	if len(secrets) > maxSession || syscall.Pipe(ends[:]) != nil { // both ends stay open in the next program
		return nil
	}
	w := os.NewFile(uintptr(ends[1]), "session")
	_, err := w.Write(secrets) // a pipe takes that much at once
	if w.Close() != nil || err != nil {
		_ = syscall.Close(ends[0])
		return nil
	}
	_ = os.Setenv(envSession, strconv.Itoa(ends[0]))
	return nil
}

// heldSession returns nothing: what [passSession] has left stays open in a successor of this program.
func heldSession() []*os.File { return nil }

// passedSession returns what [passSession] has left, nil if nothing.
func passedSession() []byte {
	fd, err := strconv.Atoi(os.Getenv(envSession))
	_ = os.Unsetenv(envSession)
	if err != nil || fd < 3 {
		return nil
	}
	r := os.NewFile(uintptr(fd), "session")
	if r == nil {
		return nil
	}
	defer r.Close()
	if info, err := r.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil
	}
	secrets, err := io.ReadAll(io.LimitReader(r, maxSession))
	if err != nil {
		return nil
	}
	return secrets
}
