package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// refusedFor returns the code of a refusal.
func refusedFor(t *testing.T, err error) string {
	t.Helper()
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	return refused.Code
}

// An unresponsive disk is simulated by an operation that blocks until the test releases it.
func TestHangingOperationTimesOut(t *testing.T) {
	f, dir, _ := opened(t)
	write(t, filepath.Join(dir, "a.txt"), "text")
	f.deadline = time.Millisecond
	responds := make(chan struct{})
	begun, ended := make(chan struct{}, maxOperations), make(chan error, maxOperations)
	for len(begun) < maxOperations { // one whose time is over before it begins is none
		err := f.Within("a.txt", func(ctx context.Context) error {
			begun <- struct{}{}
			<-ctx.Done() // its context ends with the wait for it
			<-responds
			ended <- ctx.Err()
			return nil
		})
		if code := refusedFor(t, err); code != "timeout" {
			t.Fatalf("refused as %s: %v", code, err)
		}
	}
	// So many are under way that no other is begun.
	err := f.Within("a.txt", func(context.Context) error {
		t.Error("one more operation was begun")
		return nil
	})
	if code := refusedFor(t, err); code != "timeout" {
		t.Errorf("refused as %s: %v", code, err)
	}
	if _, err := f.ReadText("a.txt", 0, 0); refusedFor(t, err) != "timeout" {
		t.Errorf("a file was read: %v", err)
	}
	close(responds)
	for range maxOperations {
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the context ended with %v", err)
		}
	}
	f.deadline = time.Hour
	if text, err := f.ReadText("a.txt", 0, 0); err != nil || text != "text" {
		t.Errorf("once the disk responds again: %q, %v", text, err)
	}
}

func TestWithinReturnsTheResultOfTheOperation(t *testing.T) {
	f, _, _ := opened(t)
	want := errors.New("what the disk said")
	if err := f.Within("a.txt", func(context.Context) error { return want }); !errors.Is(err, want) {
		t.Errorf("the error is %v", err)
	}
	if len(f.operations) != 0 {
		// The operation is let go of right after its outcome is passed on.
		f.operations <- struct{}{}
	}
}
