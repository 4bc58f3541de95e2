package recording

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strconv"

	"weft/backend/files/regular"
)

// Replay implements "weft replay". speedText is a factor, or "max". It returns 0 when the
// client closes its input, 1 if the recording can't be read or the client is gone, 2 for an
// invalid speed, or 130 after a signal.
func Replay(path, speedText string, stdin io.Reader, stdout, stderr io.Writer) int {
	speed, err := parseSpeed(speedText)
	if err != nil {
		fmt.Fprintf(stderr, "weft replay: %v\n", err)
		return 2
	}
	rec, err := openScripts(path)
	if err != nil {
		fmt.Fprintf(stderr, "weft replay: couldn't play %s: %v\n", path, notOpened(path, err))
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), forwarded...)
	defer stop()
	return serve(ctx, rec, speed, stdin, stdout)
}

// parseSpeed parses a factor. It returns 0 for "max".
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

// serve plays rec to one client. At maximum speed, it also responds to the requests that arrived before the client
// closed its input.
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
