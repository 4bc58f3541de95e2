package cli

import (
	"io"
	"os"
	"strconv"
)

// envSession is the variable with the file descriptor, or handle, from which a restarted server reads the secrets of
// its session. It is a pipe, because all programs of the user can read an environment.
const envSession = "WEFT_SERVE_SESSION"

const maxSession = 4 << 10

// passSession leaves the secrets of a session for the program that replaces this one. The returned files must be open
// in that program.
func passSession(secrets []byte) (keep []*os.File) {
	if len(secrets) > maxSession {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	_, err = w.Write(secrets) // a pipe buffers that much
	if w.Close() != nil || err != nil {
		_ = r.Close()
		return nil
	}
	_ = os.Setenv(envSession, strconv.FormatUint(uint64(r.Fd()), 10))
	return []*os.File{r}
}

// heldSession returns the files that [passSession] left, if they are for the successor of this program.
func heldSession() []*os.File {
	if r := sessionPipe(); r != nil {
		return []*os.File{r}
	}
	return nil
}

// passedSession returns the secrets that [passSession] left, or nil if there are none.
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

// sessionPipe opens the pipe in the environment, or returns nil if there is none. Call it only once, because the file
// owns the descriptor.
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
