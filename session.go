package main

import (
	"io"
	"os"
	"strconv"
)

// envSession says under which file descriptor, or handle, a restarted server finds the secrets of its session. It is a pipe, because an environment
// can be read by all programs of the user.
const envSession = "WEFT_SERVE_SESSION"

const maxSession = 4 << 10

// passSession leaves the secrets of a session to the program that takes the place of this one, in which the files that it returns have to be open.
func passSession(secrets []byte) (keep []*os.File) {
	if len(secrets) > maxSession {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	_, err = w.Write(secrets) // a pipe takes that much at once
	if w.Close() != nil || err != nil {
		_ = r.Close()
		return nil
	}
	_ = os.Setenv(envSession, strconv.FormatUint(uint64(r.Fd()), 10))
	return []*os.File{r}
}

// heldSession returns the files of what [passSession] has left, where it is for the successor of this program.
func heldSession() []*os.File {
	if r := sessionPipe(); r != nil {
		return []*os.File{r}
	}
	return nil
}

// passedSession returns what [passSession] has left, nil if nothing.
func passedSession() []byte {
	r := sessionPipe()
	_ = os.Unsetenv(envSession)
	if r == nil {
		return nil
	}
	defer r.Close()
	secrets, err := io.ReadAll(io.LimitReader(r, maxSession))
	if err != nil {
		return nil
	}
	return secrets
}

// sessionPipe opens the pipe that the environment names, nil if none. A program does so once: the file is the pipe's.
func sessionPipe() *os.File {
	at, err := strconv.ParseUint(os.Getenv(envSession), 10, 64)
	if err != nil || at < 3 {
		return nil
	}
	r := os.NewFile(uintptr(at), "session")
	if r == nil {
		return nil
	}
	if info, err := r.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		_ = r.Close()
		return nil
	}
	return r
}
