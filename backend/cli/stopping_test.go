package cli

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// hangs is set for the process that ignores the request to stop.
const hangs = "WEFT_TEST_HANGS"

func TestSecondSignalEndsWeftWhateverItWaitsFor(t *testing.T) {
	if os.Getenv(hangs) != "" {
		ctx, stop := untilStopped()
		defer stop()
		_, _ = os.Stdout.WriteString("begun\n")
		<-ctx.Done()
		_, _ = os.Stdout.WriteString("asked\n")
		time.Sleep(time.Hour)
	}
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), hangs+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, want := range []string{"begun", "asked"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("%q, want %q", lines.Text(), want)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	ended, late := make(chan error, 1), time.After(20*time.Second)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "terminated") {
				t.Error(err)
			}
			return
		case <-time.After(100 * time.Millisecond): // the handler is removed a moment after the first signal
			_ = cmd.Process.Signal(syscall.SIGTERM)
		case <-late:
			t.Fatal("it goes on")
		}
	}
}

func TestServiceThatDoesNotCloseIsLeft(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	var told bytes.Buffer
	closeService(func(context.Context) error { <-release; return nil }, zerolog.New(&told), time.Millisecond)
	if !strings.Contains(told.String(), "closed with errors") {
		t.Error(told.String())
	}
	told.Reset()
	closeService(func(context.Context) error { return nil }, zerolog.New(&told), time.Minute)
	if strings.Contains(told.String(), "error") {
		t.Error(told.String())
	}
}
