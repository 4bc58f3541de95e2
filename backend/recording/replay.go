package recording

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"strconv"

	"weft/backend/commandline"
	"weft/backend/regular"
)

const replayUsage = `Usage: weft replay FILE.jsonl [--speed N|max]

An agent that plays a recording back. It answers the client's requests in recorded order,
method by method, with the recorded pauses divided by N (default 1; max leaves them out).
Where the recorded agent waited for an answer of its client, this one waits, too, but at
most 5 s for session/cancel.
`

// ReplayMain is "weft replay". It returns 0 when the client closes its input, 1 if the
// recording cannot be read or the client is gone, 2 for wrong arguments, 130 after an
// interrupt or terminate signal.
func ReplayMain(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := commandline.New("replay")
	speedText := flags.String("speed", "1", "how many times faster than recorded, or max")
	files, err := commandline.Words(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, replayUsage)
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "weft replay: %v. See weft replay --help.\n", err)
		return 2
	}
	speed, err := parseSpeed(*speedText)
	if err != nil || len(files) != 1 {
		if err != nil {
			fmt.Fprintf(stderr, "weft replay: %v\n", err)
		}
		fmt.Fprint(stderr, replayUsage)
		return 2
	}
	rec, err := openScripts(files[0])
	if err != nil {
		fmt.Fprintf(stderr, "weft replay: couldn't play %s: %v\n", files[0], notOpened(files[0], err))
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), forwarded...)
	defer stop()
	return serve(ctx, rec, speed, stdin, stdout)
}

// parseSpeed reads a factor; max is 0.
func parseSpeed(s string) (float64, error) {
	if s == "max" {
		return 0, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0) {
		return 0, fmt.Errorf("the speed must be a number above 0, or max, not %q", s)
	}
	return f, nil
}

func openScripts(path string) (*recorded, error) {
	file, _, err := regular.OpenPath(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readScripts(file)
}

// serve plays rec to one client. Without pauses, what was asked before the client closed
// its input is still answered.
func serve(ctx context.Context, rec *recorded, speed float64, stdin io.Reader, stdout io.Writer) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := newPlayer(ctx, cancel, rec, speed, stdout)
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(stdin, 64<<10)
		for {
			line, err := r.ReadBytes('\n')
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		select {
		case line, ok := <-lines:
			if ok {
				p.hear(line)
				continue
			}
			if speed == 0 {
				p.drain()
			}
			cancel(nil)
		case <-ctx.Done():
		}
		if err := context.Cause(ctx); errors.Is(err, errClientGone) {
			return 1
		} else if err != nil && !errors.Is(err, context.Canceled) {
			return 130
		}
		p.wait()
		return 0
	}
}
