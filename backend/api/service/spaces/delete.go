package spaces

import (
	"context"

	"weft/backend/agent/failure"
	"weft/backend/api/service/ref"
	"weft/backend/store/spaces"
)

// DeleteSpace stops the runs of a space and removes it from the list; its branches stay. RestoreSpace restores it until
// the next start. With `atAgent` the agent also deletes its copy permanently, and DeleteSpace blocks for that.
func (s *Spaces) DeleteSpace(ctx context.Context, req DeleteSpaceRequest) (DeletedSpace, error) {
	var sp spaces.Space
	var kept []spaces.Session
	var err error
	if req.AtAgent {
		if sp, err = s.store.Spaces.Get(ctx, req.SpaceID); err != nil {
			return DeletedSpace{}, err
		}
		if kept, err = s.store.Sessions.OfSpace(ctx, req.SpaceID); err != nil {
			return DeletedSpace{}, err
		}
	}
	if err := s.runs.Drop(ctx, req.SpaceID); err != nil {
		return DeletedSpace{}, err
	}
	if err := s.store.Spaces.Delete(ctx, req.SpaceID); err != nil {
		return DeletedSpace{}, err
	}
	s.Rows.forget(req.SpaceID)
	s.deleted(req.SpaceID)
	if req.AtAgent {
		return DeletedSpace{Left: s.forgetAtAgent(ctx, sp, kept)}, nil
	}
	return DeletedSpace{}, nil
}

// RestoreSpace restores a deleted space.
func (s *Spaces) RestoreSpace(ctx context.Context, req ref.SpaceRef) (Space, error) {
	row, err := s.store.Spaces.Restore(ctx, req.SpaceID)
	if err != nil {
		return Space{}, err
	}
	s.changed(row.ID)
	return s.Get(ctx, row.ID)
}

// Purge permanently deletes the spaces that were deleted before a time, in unix ms.
func (s *Spaces) Purge(before int64) {
	list, err := s.store.Spaces.List(s.work.Context(), spaces.Filter{Deleted: true})
	for _, sp := range list {
		if err != nil {
			break
		}
		var done bool
		if done, err = s.store.PurgeDeleted(s.work.Context(), sp.ID, before); done {
			s.leaveOwnFolder(sp.Folder)
		}
	}
	if err != nil && s.work.Context().Err() == nil {
		s.log.Warn().Err(err).Msg("deleted spaces could not be purged")
	}
}

// AgentCopies returns how many sessions of the space its agent has stored and would delete, as far as known without
// starting the agent.
func (s *Spaces) AgentCopies(ctx context.Context, req ref.SpaceRef) (AgentCopies, error) {
	sp, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return AgentCopies{}, err
	}
	out := AgentCopies{AgentName: s.View(sp, Doing{}).AgentName}
	can, err := s.runs.Sessions().Offers(ctx, sp.ID, sp.DefaultMember, sp.AgentID)
	if err != nil || !can.Delete {
		return out, err
	}
	list, err := s.store.Sessions.OfSpace(ctx, sp.ID)
	for _, se := range list {
		if se.AgentID == sp.AgentID {
			out.Sessions++
		}
	}
	return out, err
}

// forgetAtAgent asks the agent of a space to delete its copy. It returns why the agent did not, or "".
func (s *Spaces) forgetAtAgent(ctx context.Context, sp spaces.Space, list []spaces.Session) string {
	config, err := s.agents.Get(sp.AgentID)
	if err != nil {
		return failure.Of(err).Message
	}
	var ids []string
	for _, se := range list {
		if se.AgentID == sp.AgentID {
			ids = append(ids, se.SessionID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	if err := s.runs.Visits().Forget(ctx, config, ids); err != nil {
		return failure.Of(err).Message
	}
	return ""
}
