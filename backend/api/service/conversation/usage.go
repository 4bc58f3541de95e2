package conversation

import (
	"context"

	"weft/backend/store/spaces"
)

// UsageRequest asks for usage. Midnight is the start of the user's day, in unix ms.
type UsageRequest struct {
	SpaceID  string `json:"spaceId"`
	Midnight int64  `json:"midnight"`
}

// Usage is the usage of a space, and of all spaces today.
type Usage struct {
	Last  *spaces.Run  `json:"last"` // the last run of the space, or null
	Space spaces.Usage `json:"space"`
	Today spaces.Usage `json:"today"`
}

// Usage returns the tokens and costs of the last run, of the space, and of all spaces today, as reported by agents or
// counted by the model proxy.
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
