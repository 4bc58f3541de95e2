package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Record implements "weft record": it runs a command and writes the recording to the file
// out, by default a new one in the working directory. It returns the agent's exit code
// (128 + n if signal n ended it), 2 if the file can't be created, or 126 or 127 if the
// command can't be run.
//
// Record forwards the input until the client closes it, and then closes the agent's. It
// forwards signals to the agent's process group, and kills the rest of the group when the
// agent exits. If writing the recording fails later, Record keeps forwarding and reports
// the error on stderr at the end.
func Record(out string, command []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if out == "" {
		out = "weft-recording-" + time.Now().Format("20060102-150405") + ".jsonl"
	}
	file, err := os.Create(out)
	if err != nil {
		fmt.Fprintf(stderr, "weft record: couldn't write the recording: %v\n", err)
		return 2
	}
	defer file.Close()
	w := NewWriter(file)
	code := record(command, w, stdin, stdout, stderr)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		fmt.Fprintf(stderr, "weft record: the recording is incomplete: %v\n", w.err)
	}
	return code
}

func record(command []string, w *Writer, stdin io.Reader, stdout, stderr io.Writer) int {
	// On Linux, the agent is killed when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	signals := make(chan os.Signal, 16)
	signal.Notify(signals, forwarded...)
	defer signal.Stop(signals)

	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = stderr
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return fault(stderr, err)
	}
	agentOut, err := cmd.StdoutPipe()
	if err != nil {
		return fault(stderr, err)
	}
	w.Start()
	if err := cmd.Start(); err != nil {
		return fault(stderr, err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	var tasks sync.WaitGroup
	tasks.Go(func() {
		for {
			select {
			case s := <-signals:
				signalGroup(cmd.Process, s)
			case <-ctx.Done():
				return
			}
		}
	})
	// Reading stdin can't be interrupted, so this goroutine ends with the process.
	go func() {
		pass(in, stdin, &splitter{w: w, dir: ToAgent})
		_ = in.Close()
	}()
	// A child may keep the agent's output open, so wait for the agent's own exit.
	read := make(chan struct{})
	go func() {
		defer close(read)
		pass(stdout, agentOut, &splitter{w: w, dir: FromAgent})
	}()
	state, err := cmd.Process.Wait()
	killGroup(cmd.Process)
	<-read
	cancel()
	tasks.Wait()
	if err != nil {
		return fault(stderr, err)
	}
	return exitCode(state)
}

// pass copies from from to to without delay and records each chunk before it is written.
// If writing fails, it still records the rest.
func pass(to io.Writer, from io.Reader, s *splitter) {
	defer s.close()
	buf := make([]byte, 64<<10)
	gone := false
	for {
		n, err := from.Read(buf)
		if n > 0 {
			s.feed(buf[:n])
			if !gone {
				_, werr := to.Write(buf[:n])
				gone = werr != nil
			}
		}
		if err != nil {
			return
		}
	}
}

func fault(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "weft record: %v\n", err)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return 127
	}
	return 126
}

// forwarded are the signals that are forwarded to the agent.
var forwarded = slices.Concat([]os.Signal{os.Interrupt}, endSignals)
