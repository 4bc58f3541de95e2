package turn

import (
	"context"

	"weft/backend/conversation/transcript"
)

// Watch has hooks around operations that may change files. Fields that are nil do nothing after [Watch.Fill].
type Watch struct {
	// BeforeTurn is called when a turn begins. ready is called before the agent gets the prompt, and may block for a
	// moment.
	BeforeTurn func(spaceID, runID, promptID string) (ready func(ctx context.Context))
	// AfterTurn is called when a turn is over. It must not block.
	AfterTurn func(spaceID, runID string)
	// Write writes a file for the agent by calling do. It may wait for other writes of the file until ctx ends.
	Write func(ctx context.Context, spaceID, path string, do func() error) error
	// Tool is called for each update of a tool call. It must not block.
	Tool func(spaceID string, patch *transcript.ToolPatch)
}

// Fill sets nil fields to functions that do nothing.
func (w *Watch) Fill() {
	if w.BeforeTurn == nil {
		w.BeforeTurn = func(string, string, string) func(context.Context) { return func(context.Context) {} }
	}
	if w.AfterTurn == nil {
		w.AfterTurn = func(string, string) {}
	}
	if w.Write == nil {
		w.Write = func(_ context.Context, _, _ string, do func() error) error { return do() }
	}
	if w.Tool == nil {
		w.Tool = func(string, *transcript.ToolPatch) {}
	}
}
