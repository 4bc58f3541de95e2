package store

import (
	"context"
	"strconv"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/store/spaces"
)

// A command that was rejected or stopped before it ran isn't one that a run has executed.
func TestCommandsOfARunAreThoseThatRan(t *testing.T) {
	s := open(t, t.TempDir())
	ctx := context.Background()
	id := newSpace(t, s, "a")
	add(t, s, id, &transcript.RunCreated{RunID: "r"}, &transcript.MessageStart{MessageID: "m", RunID: "r", Role: transcript.RoleAgent})
	check := func(want spaces.Calls) {
		t.Helper()
		if err := s.Events.Flush(ctx, id); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Runs.Calls(ctx, id, "r"); err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	n := 0
	call := func(kind string, status transcript.Status) {
		add(t, s, id, &transcript.ToolCallStart{At: at("m", 0, n), ToolCallID: strconv.Itoa(n), Kind: kind, Status: status})
		n++
	}
	call("execute", transcript.StatusCompleted)
	check(spaces.Calls{All: 1, Commands: 1})
	call("execute", transcript.StatusRejected)
	call("execute", transcript.StatusCancelled)
	call("edit", transcript.StatusRejected)
	check(spaces.Calls{All: 4, Commands: 1})
	call("execute", transcript.StatusFailed)
	call("read", transcript.StatusFailed)
	check(spaces.Calls{All: 6, Failed: 2, Commands: 2, CommandsFailed: 1})
}
