package transcript

import "testing"

func TestStatusWordsOfPrograms(t *testing.T) {
	for word, want := range map[string]Status{
		"pending": StatusPending, "in_progress": StatusRunning, "completed": StatusCompleted, "failed": StatusFailed, "cancelled": StatusCancelled, // those of the protocol
		"error": StatusFailed, "success": StatusCompleted, "SUCCEEDED": StatusCompleted, "done": StatusCompleted, "running": StatusRunning, "inProgress": StatusRunning, "In Progress": StatusRunning, "in-progress": StatusRunning,
		"canceled": StatusCancelled, "timed_out": StatusFailed, "denied": StatusRejected, "awaiting_approval": StatusWaiting,
		"dancing": "", "": "", "paused": "",
	} {
		if s, known := StatusOf(word); s != want || known != (want != "") {
			t.Errorf("%q is %q, %v", word, s, known)
		}
	}
}
