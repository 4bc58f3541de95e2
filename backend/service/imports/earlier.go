package imports

import (
	"context"
	"os"
	"path/filepath"

	"weft/backend/clip"
	"weft/backend/command"
	"weft/backend/fault"
	"weft/backend/service/folders"
	"weft/backend/service/spaces"
	stored "weft/backend/store/spaces"
)

// EarlierRequest asks for the conversations that an agent has kept by itself.
type EarlierRequest struct {
	AgentID string `json:"agentId"`
	Folder  string `json:"folder"` // only those of this folder; empty: all
	Cursor  string `json:"cursor"` // Next of the answer before
}

// Earlier is a part of the list of conversations that an agent has kept by itself.
type Earlier struct {
	Sessions []EarlierSession `json:"sessions"`
	Next     string           `json:"next"`   // empty: there are no more
	Forget   bool             `json:"forget"` // the agent deletes them where it is asked to
}

// EarlierSession is a conversation that an agent has kept by itself.
type EarlierSession struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	Folder    string `json:"folder"`
	UpdatedAt int64  `json:"updatedAt"` // unix ms, 0 if unknown
	SpaceID   string `json:"spaceId"`   // the space that has it already, if one does
}

// ImportSessionRequest names a conversation that an agent has kept.
type ImportSessionRequest struct {
	AgentID   string `json:"agentId"`
	SessionID string `json:"sessionId"`
	Folder    string `json:"folder"`
	Title     string `json:"title"`
}

// EarlierSessions starts an agent and returns the conversations that it has kept. It blocks for as long as that takes. Error: unsupported
// where the agent does not hand them over.
func (s *Imports) EarlierSessions(ctx context.Context, req EarlierRequest) (Earlier, error) {
	config, err := s.agents.Get(req.AgentID)
	if err != nil {
		return Earlier{}, err
	}
	if req.Folder != "" {
		if req.Folder, err = folders.Of(req.Folder); err != nil {
			return Earlier{}, err
		}
	}
	ctx, end := s.trials.Start(ctx)
	defer end()
	list, next, can, err := s.runs.Visits().Earlier(ctx, config, req.Folder, req.Cursor)
	if err != nil {
		return Earlier{}, err
	}
	here, err := s.store.Sessions.OfAgent(ctx, config.ID)
	if err != nil {
		return Earlier{}, err
	}
	out := Earlier{Sessions: make([]EarlierSession, len(list)), Next: next, Forget: can.Delete}
	for i, one := range list {
		out.Sessions[i] = EarlierSession{SessionID: one.ID, Title: one.Title, Folder: one.Cwd, UpdatedAt: one.UpdatedAt, SpaceID: here[one.ID]}
	}
	return out, nil
}

// ImportSession makes a space of a conversation that an agent has kept, and blocks until the agent has sent all of it. A conversation that
// a space has already is not taken twice: it returns that space, with what was said elsewhere since, where that can be told apart.
func (s *Imports) ImportSession(ctx context.Context, req ImportSessionRequest) (spaces.Space, error) {
	if req.SessionID == "" {
		return spaces.Space{}, fault.New(fault.Invalid, "Choose a conversation.")
	}
	s.one.Lock()
	defer s.one.Unlock()
	here, err := s.store.Sessions.OfAgent(ctx, req.AgentID)
	if err != nil {
		return spaces.Space{}, err
	}
	if id := here[req.SessionID]; id != "" {
		// It may have gone on elsewhere since.
		if err := s.runs.Sessions().CatchUp(ctx, id, req.SessionID); err != nil {
			s.log.Info().Err(err).Str("space", id).Msg("an earlier conversation that is here could not be loaded again")
		}
		return s.spaces.Get(ctx, id)
	}
	if req.Folder != "" {
		if _, err := os.Stat(req.Folder); err != nil {
			return spaces.Space{}, fault.New("folder_not_found", "This conversation took place in {{folder}}, which no longer exists. Restore the folder to continue.", filepath.Clean(req.Folder)).Because(err)
		}
	}
	sp, err := s.spaces.CreateSpace(ctx, spaces.CreateSpaceRequest{AgentID: req.AgentID, Folder: req.Folder, Title: clip.Line(req.Title, 80), MadeBy: stored.MadeByImport})
	if err != nil {
		return spaces.Space{}, err
	}
	if err := s.runs.Sessions().Load(ctx, sp.ID, req.SessionID); err != nil {
		ctx, cancel := s.work.Bounded()
		defer cancel()
		if _, err := s.spaces.DeleteSpace(ctx, spaces.DeleteSpaceRequest{SpaceID: sp.ID}); err != nil {
			s.log.Warn().Err(err).Msg("a space without its conversation could not be deleted")
		}
		return spaces.Space{}, err
	}
	return s.spaces.Get(ctx, sp.ID)
}

// ForgetSessionRequest names a conversation that an agent has kept.
type ForgetSessionRequest struct {
	AgentID   string `json:"agentId"`
	SessionID string `json:"sessionId"`
}

// ForgetSession has an agent delete a conversation that it has kept, forever. Errors: conflict where a space continues it, unsupported,
// refused.
func (s *Imports) ForgetSession(ctx context.Context, req ForgetSessionRequest) (command.None, error) {
	config, err := s.agents.Get(req.AgentID)
	if err != nil {
		return command.None{}, err
	}
	here, err := s.store.Sessions.OfAgent(ctx, config.ID)
	if err != nil {
		return command.None{}, err
	}
	if here[req.SessionID] != "" {
		return command.None{}, fault.New(fault.Conflict, "A space uses this conversation. Delete that space, and choose to delete it from the agent too.")
	}
	ctx, end := s.trials.Start(ctx)
	defer end()
	return command.None{}, s.runs.Visits().Forget(ctx, config, []string{req.SessionID})
}
