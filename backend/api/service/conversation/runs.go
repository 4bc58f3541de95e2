package conversation

import (
	"context"

	"weft/backend/base/fault"
	"weft/backend/space/turn"
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

// The phases of [RunProgress].
const (
	phaseStarting = "starting"
	phaseWorking  = "working"
	phaseOver     = "over"
)

// RunProgress is the progress of a run. Times are in unix ms, 0 if it hasn't happened.
type RunProgress struct {
	Phase    string `json:"phase"`    // starting (the agent), working, over
	SentAt   int64  `json:"sentAt"`   // the agent received the prompt
	WorkedAt int64  `json:"workedAt"` // it last sent output of its turn, or a request
	Seen     string `json:"seen"`     // kind of its last message: work, request, commands, description (of the session: title, options, usage), or nothing
	SeenAt   int64  `json:"seenAt"`
}

// RunProgress returns the progress of a run.
func (s *Transcripts) RunProgress(_ context.Context, req RunRef) (RunProgress, error) {
	p := s.runs.Progress(req.RunID)
	out := RunProgress{Phase: phaseWorking, SentAt: p.Sent, WorkedAt: p.Worked, Seen: p.Seen, SeenAt: p.SeenAt}
	switch p.Phase {
	case turn.New, turn.Waiting:
		out.Phase = phaseStarting
	case turn.Over:
		out.Phase = phaseOver
	case turn.Preparing, turn.Sent:
	}
	return out, nil
}
