package editor

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

const (
	moment     = time.Second // how long a started program is watched
	keepStderr = 1 << 20     // bytes of stderr on disk for a program that keeps running
	tidyEvery  = time.Minute
	maxReason  = 300 // characters of stderr in an error
)

// Start starts a command in its own session, and returns when it has ended or has run for a second. A program that
// keeps running outlives Weft. Errors: editor_failed, with the last line of stderr.
func Start(ctx context.Context, c Command, dir string) error {
	stderr, err := scratch()
	if err != nil {
		return failed(c, err.Error(), err)
	}
	//nolint:noctx // the user chose this program; it must not end with the request that started it
	cmd := exec.Command(c.Program, c.Args...)
	cmd.Dir, cmd.Stderr = dir, stderr
	detach(cmd)
	if err := cmd.Start(); err != nil {
		discard(stderr)
		return failed(c, reasonOf(err), err)
	}
	ended := make(chan error, 1)
	over := make(chan struct{})
	go func() {
		ended <- cmd.Wait()
		close(over)
	}()
	timer := time.NewTimer(moment)
	defer timer.Stop()
	select {
	case err := <-ended:
		last := lastLine(stderr)
		discard(stderr)
		if err == nil {
			return nil
		}
		if last == "" {
			last = reasonOf(err)
		}
		return failed(c, last, err)
	case <-timer.C:
	case <-ctx.Done(): // the program is started anyway
	}
	go tidy(stderr, over)
	return nil
}

func failed(c Command, why string, err error) error {
	return fault.New("editor_failed", "Couldn't open the editor: {{name}} failed: {{why}}", c.Name, sentence(why)).Because(err)
}

func sentence(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") {
		return text
	}
	return text + "."
}

func reasonOf(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.String()
	}
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// scratch returns a temporary file for a program's stderr. With a pipe, the next write would kill a program that
// outlives Weft.
func scratch() (*os.File, error) {
	name := filepath.Join(os.TempDir(), "weft-editor-"+rand.Text())
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err == nil {
		_ = os.Remove(name) // if the system doesn't allow that yet, discard does it
	}
	return file, err
}

func discard(file *os.File) {
	_ = file.Close()
	_ = os.Remove(file.Name())
}

// tidy limits the size of a program's stderr file until the program ends.
func tidy(file *os.File, over <-chan struct{}) {
	defer discard(file)
	ticker := time.NewTicker(tidyEvery)
	defer ticker.Stop()
	for {
		select {
		case <-over:
			return
		case <-ticker.C:
			if info, err := file.Stat(); err == nil && info.Size() > keepStderr {
				_ = file.Truncate(0)
			}
		}
	}
}

// lastLine returns the last non-empty line of a file.
func lastLine(file *os.File) string {
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	data, err := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-8<<10), 8<<10))
	if err != nil {
		return ""
	}
	data = bytes.TrimSpace(data)
	return clip.Line(string(data[bytes.LastIndexByte(data, '\n')+1:]), maxReason)
}
