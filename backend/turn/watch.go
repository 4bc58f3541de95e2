package turn

import (
	"context"

	"weft/backend/transcript"
)

// Watch is told what may change files. The zero value watches nothing.
type Watch struct {
	// BeforeTurn tells that a turn begins. ready is called before the agent gets the prompt, and may
	// block for a moment.
	BeforeTurn func(spaceID, runID, promptID string) (ready func(ctx context.Context))
	// AfterTurn tells that it is over. It must not block.
	AfterTurn func(spaceID, runID string)
	// Write writes a file for the agent, by calling do. It may wait for other writes of the file until ctx ends.
	Write func(ctx context.Context, spaceID, path string, do func() error) error
	// Tool hears what the agent reports about a tool call. It must not block.
	Tool func(spaceID string, patch *transcript.ToolPatch)
}

// Fill gives fields that are nil a function that does nothing.
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
