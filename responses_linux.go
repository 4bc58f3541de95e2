package main

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// notInherited keeps the pipes of the web view's responses from programs that Weft starts meanwhile. Wails makes them so that they are inherited: an
// agent that began while a script was sent would hold the pipe's end, and the web view would wait for the end of the script as long as
// the agent runs.
func notInherited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&pipedResponse{ResponseWriter: w}, r)
	})
}

// pipedResponse is a response whose pipe is made with its header.
type pipedResponse struct {
	http.ResponseWriter

	begun bool
}

// Write writes the header first if that wasn't done, as net/http does.
func (p *pipedResponse) Write(b []byte) (int, error) {
	if !p.begun {
		if p.Header().Get("Content-Type") == "" {
			p.Header().Set("Content-Type", http.DetectContentType(b))
		}
		p.WriteHeader(http.StatusOK)
	}
	return p.ResponseWriter.Write(b) //nolint:wrapcheck // it stands for the writer
}

// WriteHeader has the pipe made, and no program started until it is marked.
func (p *pipedResponse) WriteHeader(code int) {
	if p.begun {
		return
	}
	p.begun = true
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	p.ResponseWriter.WriteHeader(code)
	markPipes()
}

// markPipes has the pipes of this process closed in each program that it starts, but for its input and output.
func markPipes() {
	const dir = "/proc/self/fd/"
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= syscall.Stderr {
			continue
		}
		if target, err := os.Readlink(dir + e.Name()); err == nil && strings.HasPrefix(target, "pipe:") {
			syscall.CloseOnExec(fd)
		}
	}
}
