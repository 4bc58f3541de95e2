package recording

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"time"

	"weft/backend/commandline"
)

const recordUsage = `Usage: weft record [--out FILE] -- COMMAND [ARGUMENT …]

Runs an agent and records all messages between it and its client. Put it in a client's
settings in place of the agent's command line. Without --out the recording is
weft-recording-TIME.jsonl in the current folder.
`

// RecordMain is "weft record". It returns the agent's exit code (128 + n if signal n
// ended it), 2 for wrong arguments, 126 or 127 if the command cannot be run.
//
// Input is passed on until the client closes it, which closes the agent's. Interrupt,
// hang-up and terminate signals go to the agent's process group; when the agent has
// ended, what is left of its group is killed. A recording that can no longer be written
// is told on stderr and does not disturb the two.
func RecordMain(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := commandline.New("record")
	out := flags.String("out", "", "the file to write")
	command, err := commandline.Leading(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, recordUsage)
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "weft record: %v. See weft record --help.\n", err)
		return 2
	case len(command) == 0:
		fmt.Fprint(stderr, recordUsage)
		return 2
	}
	if *out == "" {
		*out = "weft-recording-" + time.Now().Format("20060102-150405") + ".jsonl"
	}
	file, err := os.Create(*out)
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
	// The agent ends with the thread that started it, where the system offers that.
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
	// Reading stdin cannot be interrupted; it ends with the process.
	go func() {
		pass(in, stdin, &splitter{w: w, dir: ToAgent})
		_ = in.Close()
	}()
	// An agent's child may hold its output open; the agent's own end counts.
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

// pass copies from to to at once, chunk by chunk, each written down first. When nobody
// takes the output any more, the rest is still written down.
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

// forwarded are the signals that the agent gets in our place.
var forwarded = slices.Concat([]os.Signal{os.Interrupt}, endSignals)
