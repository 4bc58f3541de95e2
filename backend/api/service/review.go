package service

import (
	"context"

	"weft/backend/api/service/app"
	"weft/backend/changes/review"
	"weft/backend/store/spaces"
)

func (s *Service) openReview(ctx context.Context) (err error) {
	s.reviews, err = review.Open(ctx, review.Options{
		Store: s.store, DataDir: s.opt.DataDir, Log: s.opt.Log, OnChange: s.changesChanged,
		OnFound: func(spaceID, runID string, paths []string, alone bool) { s.runs.Found(spaceID, runID, paths, alone) },
		Folder: func(ctx context.Context, id string) (string, error) {
			sp, err := s.store.Spaces.Get(ctx, id)
			return sp.Folder, err
		},
	})
	if err == nil {
		s.reviews.Recover(ctx)
	}
	return err
}

// changesChanged reports that the changes to review in a space have changed. Clients then read them.
func (s *Service) changesChanged(spaceID string) {
	s.news.Tell("changes/"+spaceID, func() app.Event {
		n, err := s.reviews.Count(spaceID)
		if err != nil {
			return nil // the space is gone, or the service is closing
		}
		return ChangesEvent{SpaceID: spaceID, Files: n}
	})
}

// tidyReview deletes review data that can't be requested anymore.
func tidyReview(s *Service) {
	var folders []string
	for _, filter := range []spaces.Filter{{}, {Archived: true}, {Deleted: true}} {
		list, err := s.store.Spaces.List(s.work.Context(), filter)
		if err != nil {
			return
		}
		for _, sp := range list {
			folders = append(folders, sp.Folder)
		}
	}
	if err := s.reviews.Tidy(s.work.Context(), folders); err != nil && s.work.Context().Err() == nil {
		s.opt.Log.Warn().Err(err).Msg("kept files could not be tidied")
	}
}
