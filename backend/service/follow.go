package service

import (
	"context"
	"errors"

	"weft/backend/runs"
	"weft/backend/service/ref"
	"weft/backend/workspace"
)

type (
	// FileRequest asks for what is around a line of a file of a space.
	FileRequest struct {
		SpaceID string `json:"spaceId"`
		Path    string `json:"path"` // absolute, or as seen from the space's folder
		Line    int    `json:"line"` // from 1; 0: the beginning
	}
	// Visited is where an agent has been, oldest first.
	Visited struct {
		Places []runs.Place `json:"places"`
	}
)

// ReadSpaceFile reads a stretch of a file in the space's folder, and of nothing outside of it. Errors: outside,
// not_found, is_directory, not_text (no regular file), too_large.
func (s *Service) ReadSpaceFile(ctx context.Context, req FileRequest) (workspace.View, error) {
	space, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return workspace.View{}, err
	}
	if req.Path == "" || req.Line < 0 {
		return workspace.View{}, invalid("A path and a line, counted from 1, are needed.")
	}
	files, err := workspace.Open(space.Folder)
	if err != nil {
		return workspace.View{}, err
	}
	defer files.Close()
	v, err := files.View(req.Path, req.Line)
	var refused *workspace.Error
	if errors.As(err, &refused) {
		return v, &Error{Code: refused.Code, Message: refused.Message, Err: err}
	}
	return v, err
}

// VisitedPlaces answers the files that the agent of a space was at, since Weft was started.
func (s *Service) VisitedPlaces(_ context.Context, req ref.SpaceRef) (Visited, error) {
	return Visited{Places: s.runs.Places(req.SpaceID)}, nil
}

func (s *Service) placeChanged(spaceID string, p runs.Place) {
	s.news.Send(PlaceEvent{SpaceID: spaceID, Place: p})
}
