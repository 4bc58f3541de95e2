package acp

import (
	"context"
	"errors"
	"os"
	"testing"
)

// TestEndingUnblocksPipes ends a connection over pipes of the system whose other side
// does nothing.
func TestEndingUnblocksPipes(t *testing.T) {
	why := errors.New("the app ends")
	for name, end := range map[string]func(*Conn, context.CancelCauseFunc){
		"close":   func(c *Conn, _ context.CancelCauseFunc) { c.Close() },
		"context": func(_ *Conn, cancel context.CancelCauseFunc) { cancel(why) },
	} {
		t.Run(name, func(t *testing.T) {
			r, agentOut, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer agentOut.Close()
			agentIn, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer agentIn.Close()
			c := New(r, w, Options{})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			result := make(chan error, 1)
			go func() { result <- c.Run(ctx, HandlerFunc(func(*Inbound, bool) {})) }()
			call := make(chan error, 1)
			// More than a pipe holds: the writer is in the middle of it.
			go func() { call <- c.Call(context.Background(), "x", make([]byte, 1<<20), nil) }()
			if _, err := agentIn.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			end(c, cancel)
			want := ErrClosed
			if name == "context" {
				want = why
			}
			if err := <-call; !errors.Is(err, want) {
				t.Errorf("Call: %v", err)
			}
			if err := <-result; !errors.Is(err, want) {
				t.Errorf("Run: %v", err)
			}
		})
	}
}
