package service

import (
	"context"

	"weft/backend/review"
	"weft/backend/service/news"
	"weft/backend/store/spaces"
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
		MessageID string          `json:"messageId"` // the person's
		Chosen    []review.Choice `json:"chosen"`
	}
	// RedoRequest takes back an undo or a rejection.
	RedoRequest struct {
		SpaceID string `json:"spaceId"`
		Turn    int64  `json:"turn"`
	}
)

func (s *Service) openReview(ctx context.Context) (err error) {
	s.review, err = review.Open(ctx, review.Options{
		Store: s.store, DataDir: s.opt.DataDir, Log: s.opt.Log, OnChange: s.changesChanged,
		OnFound: func(spaceID, runID string, paths []string, alone bool) { s.runs.Found(spaceID, runID, paths, alone) },
		Folder: func(ctx context.Context, id string) (string, error) {
			sp, err := s.store.Spaces.Get(ctx, id)
			return sp.Folder, err
		},
	})
	if err == nil {
		s.review.Recover(ctx)
	}
	return err
}

// changesChanged tells that there is something else to review in a space. Who shows it pulls it.
func (s *Service) changesChanged(spaceID string) {
	s.news.Tell("changes/"+spaceID, func() news.Event {
		n, err := s.review.Count(spaceID)
		if err != nil {
			return nil // the space is gone, or the service is closing
		}
		return ChangesEvent{SpaceID: spaceID, Files: n}
	})
}

// tidyReview forgets what nobody can ask for any more.
func (s *Service) tidyReview() {
	var folders []string
	for _, filter := range []spaces.Filter{{}, {Archived: true}, {Deleted: true}} {
		list, err := s.store.Spaces.List(s.ctx, filter)
		if err != nil {
			return
		}
		for _, sp := range list {
			folders = append(folders, sp.Folder)
		}
	}
	if err := s.review.Tidy(s.ctx, folders); err != nil && s.ctx.Err() == nil {
		s.opt.Log.Warn().Err(err).Msg("kept files could not be tidied")
	}
}

// ReviewChanges answers the files that agents have changed in a space and that were not decided yet.
func (s *Service) ReviewChanges(ctx context.Context, req SpaceRef) (review.Changes, error) {
	return s.review.List(ctx, req.SpaceID)
}

// ReviewDiff answers what was changed in one file.
func (s *Service) ReviewDiff(ctx context.Context, req ChangesRef) (review.Diff, error) {
	return s.review.Diff(ctx, req.SpaceID, req.FileID)
}

// AcceptChanges keeps changes: they are not shown any more.
func (s *Service) AcceptChanges(ctx context.Context, req DecideRequest) (review.Outcome, error) {
	return s.review.Accept(ctx, req.SpaceID, req.Picks)
}

// RejectChanges puts back what was there before changes, but for what the person has edited since.
func (s *Service) RejectChanges(ctx context.Context, req DecideRequest) (review.Outcome, error) {
	return s.review.Reject(ctx, req.SpaceID, req.Picks)
}

// PlanUndo answers what UndoSince would do.
func (s *Service) PlanUndo(ctx context.Context, req MessageRef) (review.UndoPlan, error) {
	return s.review.PlanUndo(ctx, req.SpaceID, req.MessageID)
}

// UndoSince puts back what the agent has changed since a prompt was sent.
func (s *Service) UndoSince(ctx context.Context, req UndoRequest) (review.Outcome, error) {
	return s.review.Undo(ctx, req.SpaceID, req.MessageID, req.Chosen)
}

// RedoChanges takes back an undo or a rejection.
func (s *Service) RedoChanges(ctx context.Context, req RedoRequest) (review.Outcome, error) {
	return s.review.Redo(ctx, req.SpaceID, req.Turn)
}
