package transcripts

import (
	"context"

	"weft/backend/store/spaces"
)

// UsageRequest asks what was used. Midnight is when the user's day began, in unix ms.
type UsageRequest struct {
	SpaceID  string `json:"spaceId"`
	Midnight int64  `json:"midnight"`
}

// Usage is what a space has used, and what all spaces have used today.
type Usage struct {
	Last  *spaces.Run  `json:"last"` // the last run of the space; null if there was none
	Space spaces.Usage `json:"space"`
	Today spaces.Usage `json:"today"`
}

// Usage returns what the last run, the space, and all spaces today have used: tokens and costs as agents report them, or as the model proxy
// has counted them.
func (s *Transcripts) Usage(ctx context.Context, req UsageRequest) (u Usage, err error) {
	if _, err = s.store.Spaces.Get(ctx, req.SpaceID); err != nil {
		return u, err
	}
	last, err := s.store.Runs.List(ctx, req.SpaceID, 1)
	if err != nil {
		return u, err
	}
	if len(last) > 0 {
		u.Last = &last[0]
	}
	if u.Space, err = s.store.Runs.Usage(ctx, req.SpaceID, 0); err != nil {
		return u, err
	}
	u.Today, err = s.store.Runs.Usage(ctx, "", req.Midnight)
	return u, err
}
