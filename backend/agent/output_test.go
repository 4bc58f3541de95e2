//go:build unix

package agent

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

func pipeOutput(t *testing.T) (*output, *os.File, chan struct{}) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
	return newOutput(r, ended, false), w, ended
}

// CatchUp returns once everything that was written has been read and the reader reads again, not before.
func TestCatchUpWaitsForWhatIsInThePipe(t *testing.T) {
	t.Parallel()
	o, w, _ := pipeOutput(t)
	o.catchUp(t.Context()) // nothing was written
	const text = "one\ntwo\nthree\n"
	if _, err := w.WriteString(text); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if o.catchUp(short); short.Err() == nil {
		t.Error("it ended before its context, though nothing was read")
	}
	caughtUp, handled := make(chan int, 1), 0
	go func() {
		o.catchUp(t.Context())
		caughtUp <- handled
	}()
	b := make([]byte, 4)
	for handled < len(text) {
		n, err := o.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-caughtUp:
			t.Fatalf("caught up after %d of %d bytes", handled, len(text))
		default:
		}
		handled += n
	}
	ended := make(chan error, 1)
	go func() {
		_, err := o.Read(b)
		ended <- err
	}()
	if n := <-caughtUp; n != len(text) {
		t.Errorf("caught up after %d of %d bytes", n, len(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	o.catchUp(t.Context()) // after the end
}

// TestCatchUpEndsWithTheOutput: the reader doesn't ask for more after the end.
func TestCatchUpEndsWithTheOutput(t *testing.T) {
	t.Parallel()
	o, w, ended := pipeOutput(t)
	if _, err := w.WriteString("last"); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 8)
	if n, err := o.Read(b); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	caughtUp := make(chan struct{})
	go func() {
		defer close(caughtUp)
		o.catchUp(t.Context())
	}()
	if _, err := w.WriteString("words"); err != nil {
		t.Fatal(err)
	}
	wake(o.file) // a stray process holds the other end
	close(ended)
	if n, err := o.Read(b); n != 5 || err != nil {
		t.Errorf("%d bytes of what was left, %v", n, err)
	}
	if n, err := o.Read(b); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("%d bytes, %v", n, err)
	}
	<-caughtUp
	o.catchUp(t.Context())
}
