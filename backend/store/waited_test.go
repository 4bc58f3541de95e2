package store

import (
	"context"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
)

// A minute with two open requests counts as one minute.
func TestWaitingOfARunIsCountedOnce(t *testing.T) {
	s := open(t, t.TempDir())
	ctx := context.Background()
	if _, err := s.Spaces.Create(ctx, spaces.Space{ID: "a", Folder: "/"}); err != nil {
		t.Fatal(err)
	}
	add := func(when int64, list ...transcript.Body) {
		t.Helper()
		if _, err := s.Events.Append(ctx, events.Append{SpaceID: "a", At: when, Bodies: list}); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(item int, id string) transcript.Body {
		return &transcript.PermissionRequest{At: at("m", 0, item), ToolCallID: string(rune('0' + item)), RequestID: id}
	}
	answer := func(item int, id string) transcript.Body {
		return &transcript.PermissionResolved{At: at("m", 0, item), ToolCallID: string(rune('0' + item)), RequestID: id, Outcome: "selected", Status: transcript.StatusRunning}
	}
	waited := func(want int64) {
		t.Helper()
		if err := s.Events.Flush(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Runs.Waited(ctx, "a", "r"); err != nil || got != want {
			t.Errorf("waited %d ms, %v, want %d", got, err, want)
		}
	}
	add(1000, &transcript.RunCreated{RunID: "r"}, &transcript.MessageStart{MessageID: "m", RunID: "r", Role: transcript.RoleAgent})
	for item := range 3 {
		add(1000, &transcript.ToolCallStart{At: at("m", 0, item), ToolCallID: string(rune('0' + item)), Status: transcript.StatusPending})
	}
	add(2000, ask(0, "p"))
	add(3000, ask(1, "q"))
	waited(0)
	add(4000, answer(0, "p"))
	add(7000, answer(1, "q"))
	waited(5000)
	add(8000, ask(0, "again"))
	add(8500, answer(0, "again"))
	waited(5500)
	// A display keeps waiting after the message has ended.
	add(9000, ask(2, "display"))
	add(9250, &transcript.MessageEnd{MessageID: "m"}, &transcript.RunCompleted{RunID: "r"})
	waited(5750)
	add(60_000, answer(2, "display"))
	waited(5750)
	if got, err := s.Runs.Waited(ctx, "a", ""); err != nil || got != 0 {
		t.Errorf("no run has waited %d ms, %v", got, err)
	}
}
