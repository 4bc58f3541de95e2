package interchange

import (
	"context"
	"os"
	"path/filepath"

	"weft/backend/api/service/files"
	"weft/backend/api/service/spaces"
	"weft/backend/base/clip"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	stored "weft/backend/store/spaces"
)

// EarlierRequest asks for the conversations that an agent has stored.
type EarlierRequest struct {
	AgentID string `json:"agentId"`
	Folder  string `json:"folder"` // only conversations in this folder; empty: all
	Cursor  string `json:"cursor"` // Next of the last result
}

// Earlier is a page of the conversations that an agent has stored.
type Earlier struct {
	Sessions []EarlierSession `json:"sessions"`
	Next     string           `json:"next"`   // empty: no more
	Forget   bool             `json:"forget"` // the agent can delete them
}

// EarlierSession is a conversation that an agent has stored.
type EarlierSession struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	Folder    string `json:"folder"`
	UpdatedAt int64  `json:"updatedAt"` // unix ms, 0 if unknown
	SpaceID   string `json:"spaceId"`   // the space that already continues it, if any
}

// ImportSessionRequest names a conversation that an agent has stored.
type ImportSessionRequest struct {
	AgentID   string `json:"agentId"`
	SessionID string `json:"sessionId"`
	Folder    string `json:"folder"`
	Title     string `json:"title"`
}

// EarlierSessions starts an agent and returns the conversations that it has stored. It blocks until the agent has
// responded. Error: unsupported if the agent can't list them.
func (s *Imports) EarlierSessions(ctx context.Context, req EarlierRequest) (Earlier, error) {
	config, err := s.agents.Get(req.AgentID)
	if err != nil {
		return Earlier{}, err
	}
	if req.Folder != "" {
		if req.Folder, err = files.ResolveFolder(req.Folder); err != nil {
			return Earlier{}, err
		}
	}
	ctx, end := s.tests.Start(ctx)
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

// ImportSession makes a space from a conversation that an agent has stored, and blocks until the agent has sent all of
// it. If a space already continues the conversation, it returns that space, and adds messages sent elsewhere since if
// it can identify them.
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
		// The conversation may have continued elsewhere.
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

// ForgetSessionRequest names a conversation that an agent has stored.
type ForgetSessionRequest struct {
	AgentID   string `json:"agentId"`
	SessionID string `json:"sessionId"`
}

// ForgetSession asks an agent to permanently delete a conversation that it has stored. Errors: conflict if a space
// continues it, unsupported, refused.
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
	ctx, end := s.tests.Start(ctx)
	defer end()
	return command.None{}, s.runs.Visits().Forget(ctx, config, []string{req.SessionID})
}
