package simtest

import (
	"testing"
	"time"
)

// Patience is how long anything may take that a test waits for. It only ends what would continue forever.
const Patience = 2 * time.Minute

// Eventually waits until ok reports true, and fails the test if that never happens.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(Patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in %v it never came true: %s", Patience, what)
		}
	}
}
