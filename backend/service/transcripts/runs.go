package transcripts

import (
	"context"

	"weft/backend/fault"
	"weft/backend/store/spaces"
)

// RunRef names a run.
type RunRef struct {
	RunID string `json:"runId"`
}

// RunMessages is a run with its messages in all spaces.
type RunMessages struct {
	Run      spaces.Run          `json:"run"`
	Messages []spaces.RunMessage `json:"messages"`
}

// RunMessages returns a run with its messages in all spaces, oldest first.
func (s *Transcripts) RunMessages(ctx context.Context, req RunRef) (RunMessages, error) {
	run, _, found, err := s.store.Runs.Messages(ctx, req.RunID)
	if err == nil && found {
		err = s.store.Events.Flush(ctx, run.SpaceID)
	}
	if err != nil {
		return RunMessages{}, err
	}
	run, list, found, err := s.store.Runs.Messages(ctx, req.RunID)
	if err == nil && !found {
		err = fault.New(fault.NotFound, "The messages of this run no longer exist.")
	}
	return RunMessages{Run: run, Messages: list}, err
}
