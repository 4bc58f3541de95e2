// Package changes has the commands about what agents have changed in files.
package changes

import (
	"context"

	"weft/backend/review"
	"weft/backend/service/ref"
)

type (
	// ChangesRef names a file with changes.
	ChangesRef struct {
		SpaceID string `json:"spaceId"`
		FileID  int64  `json:"fileId"`
	}
	// DecideRequest accepts or rejects changes; no picks are all of them.
	DecideRequest struct {
		SpaceID string        `json:"spaceId"`
		Picks   []review.Pick `json:"picks"`
	}
	// UndoRequest undoes what was changed since a prompt. Files with a conflict only if they are chosen.
	UndoRequest struct {
		SpaceID   string          `json:"spaceId"`
		MessageID string          `json:"messageId"` // the user's
		Chosen    []review.Choice `json:"chosen"`
	}
	// RedoRequest takes back an undo or a rejection.
	RedoRequest struct {
		SpaceID string `json:"spaceId"`
		Turn    int64  `json:"turn"`
	}
)

// Changes are what agents have changed in files and the user has not decided yet.
type Changes struct{ reviews *review.Reviews }

// New returns the changes that room knows.
func New(reviews *review.Reviews) *Changes { return &Changes{reviews: reviews} }

// ReviewChanges returns the files that agents have changed in a space and that the user hasn't decided about, what isn't covered, and what
// was put back last.
func (s *Changes) ReviewChanges(ctx context.Context, req ref.SpaceRef) (review.Changes, error) {
	return s.reviews.List(ctx, req.SpaceID)
}

// ReviewDiff returns what was changed in one file.
func (s *Changes) ReviewDiff(ctx context.Context, req ChangesRef) (review.Diff, error) {
	return s.reviews.Diff(ctx, req.SpaceID, req.FileID)
}

// AcceptChanges keeps changes: they are not shown anymore. Without picks it is everything, and a pick without hunks is the whole file.
func (s *Changes) AcceptChanges(ctx context.Context, req DecideRequest) (review.Outcome, error) {
	return s.reviews.Accept(ctx, req.SpaceID, req.Picks)
}

// RejectChanges puts back what was there before changes, except where the user has edited since: these files are in `left`. Picks are those
// of AcceptChanges; `turn` is for RedoChanges.
func (s *Changes) RejectChanges(ctx context.Context, req DecideRequest) (review.Outcome, error) {
	return s.reviews.Reject(ctx, req.SpaceID, req.Picks)
}

// PlanUndo returns what UndoSince would do.
func (s *Changes) PlanUndo(ctx context.Context, req ref.MessageRef) (review.UndoPlan, error) {
	return s.reviews.PlanUndo(ctx, req.SpaceID, req.MessageID)
}

// UndoSince puts back what the agent has changed since a prompt was sent.
func (s *Changes) UndoSince(ctx context.Context, req UndoRequest) (review.Outcome, error) {
	return s.reviews.Undo(ctx, req.SpaceID, req.MessageID, req.Chosen)
}

// RedoChanges takes back an undo or a rejection.
func (s *Changes) RedoChanges(ctx context.Context, req RedoRequest) (review.Outcome, error) {
	return s.reviews.Redo(ctx, req.SpaceID, req.Turn)
}
