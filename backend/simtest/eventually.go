package simtest

import (
	"testing"
	"time"
)

// patience is how long anything may take that a test waits for. It only ends what would continue forever.
const patience = 2 * time.Minute

// Eventually waits until ok reports true, and fails the test if that never happens.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in %v it never came true: %s", patience, what)
		}
	}
}
