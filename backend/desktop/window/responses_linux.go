package window

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// CloseOnExec prevents programs that Weft starts from inheriting the pipes of the web view's responses. Wails creates
// these pipes as inheritable: an agent that was started while a script was sent would hold its end of the pipe, and the
// web view would wait for the end of the script as long as the agent runs. It does nothing on other systems.
func CloseOnExec(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&pipedResponse{ResponseWriter: w}, r)
	})
}

// pipedResponse is a response whose pipe is created with its header.
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

// WriteHeader creates the pipe and marks it before any program can start.
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

// markPipes sets close-on-exec on all pipes of this process except its input and output.
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
