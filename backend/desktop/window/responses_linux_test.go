package window

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// pipeWriter makes its pipe with the header, as Wails does: one that programs inherit.
type pipeWriter struct {
	http.ResponseWriter

	r, w *os.File
}

func (p *pipeWriter) WriteHeader(int) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], 0); err != nil {
		panic(err)
	}
	p.r, p.w = os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
}

func (p *pipeWriter) Write(b []byte) (int, error) { return p.w.Write(b) }

// A response ends when it was written, although a program that was started meanwhile still runs.
func TestResponsesEndWhileAProgramRuns(t *testing.T) {
	for name, write := range map[string]func(http.ResponseWriter){
		"with a header": func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK); _, _ = w.Write([]byte("<p>")) },
		"without one":   func(w http.ResponseWriter) { _, _ = w.Write([]byte("<p>")) },
	} {
		t.Run(name, func(t *testing.T) {
			p := &pipeWriter{ResponseWriter: httptest.NewRecorder()}
			program := exec.Command("sleep", "600")
			CloseOnExec(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				write(w)
				if err := program.Start(); err != nil {
					t.Fatal(err)
				}
			})).ServeHTTP(p, httptest.NewRequest(http.MethodGet, "/", nil))
			t.Cleanup(func() { _ = program.Process.Kill(); _ = program.Wait() })
			_ = p.w.Close()
			got, err := io.ReadAll(p.r) // until nobody has the other end
			if err != nil || !bytes.Equal(got, []byte("<p>")) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
