package main

import (
	"io"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
)

// envSession says under which handle a restarted server finds the secrets of its session. It is a pipe, because an environment can be read by all
// programs of the user.
const envSession = "WEFT_SERVE_SESSION"

const maxSession = 4 << 10

// passSession leaves the secrets of a session to the program that takes the place of this one, to which the files it returns have to be passed.
func passSession(secrets []byte) (keep []*os.File) {
	var r, w windows.Handle
	if len(secrets) > maxSession || windows.CreatePipe(&r, &w, &windows.SecurityAttributes{Length: uint32(unsafe.Sizeof(windows.SecurityAttributes{}))}, maxSession) != nil {
		return nil
	}
	from, to := os.NewFile(uintptr(r), "session"), os.NewFile(uintptr(w), "session")
	_, err := to.Write(secrets) // a pipe takes that much at once
	if to.Close() != nil || err != nil {
		_ = from.Close()
		return nil
	}
	_ = os.Setenv(envSession, strconv.FormatUint(uint64(r), 10))
	return []*os.File{from}
}

// heldSession returns the files of what [passSession] has left, where it is for the successor of this program.
func heldSession() []*os.File {
	if handle, ok := sessionPipe(); ok {
		return []*os.File{os.NewFile(handle, "session")}
	}
	return nil
}

func sessionPipe() (handle uintptr, ok bool) {
	n, err := strconv.ParseUint(os.Getenv(envSession), 10, 64)
	if err != nil {
		return 0, false
	}
	kind, err := windows.GetFileType(windows.Handle(n))
	return uintptr(n), err == nil && kind == windows.FILE_TYPE_PIPE
}

// passedSession returns what [passSession] has left, nil if nothing.
func passedSession() []byte {
	handle, ok := sessionPipe()
	_ = os.Unsetenv(envSession)
	if !ok {
		return nil
	}
	r := os.NewFile(handle, "session")
	defer r.Close()
	secrets, err := io.ReadAll(io.LimitReader(r, maxSession))
	if err != nil {
		return nil
	}
	return secrets
}
