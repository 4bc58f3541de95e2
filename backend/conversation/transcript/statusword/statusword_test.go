package statusword

import (
	"testing"

	"weft/backend/conversation/transcript"
)

func TestWordsOfPrograms(t *testing.T) {
	for word, want := range map[string]transcript.Status{
		"pending": transcript.StatusPending, "in_progress": transcript.StatusRunning, "completed": transcript.StatusCompleted, "failed": transcript.StatusFailed, "cancelled": transcript.StatusCancelled, // those of the protocol
		"error": transcript.StatusFailed, "success": transcript.StatusCompleted, "SUCCEEDED": transcript.StatusCompleted, "done": transcript.StatusCompleted, "running": transcript.StatusRunning, "inProgress": transcript.StatusRunning, "In Progress": transcript.StatusRunning, "in-progress": transcript.StatusRunning,
		"canceled": transcript.StatusCancelled, "timed_out": transcript.StatusFailed, "denied": transcript.StatusRejected, "awaiting_approval": transcript.StatusWaiting,
		"input-streaming": transcript.StatusPending, "approval-requested": transcript.StatusWaiting, "output-available": transcript.StatusCompleted, "output-error": transcript.StatusFailed, "output-denied": transcript.StatusRejected, // the AI SDK
		"dancing": "", "": "", "paused": "",
	} {
		if s, known := Status(word); s != want || known != (want != "") {
			t.Errorf("%q is %q, %v", word, s, known)
		}
	}
}
