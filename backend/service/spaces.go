package service

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"weft/backend/clip"
	"weft/backend/permission"
	"weft/backend/runs"
	"weft/backend/service/folders"
	"weft/backend/service/news"
	"weft/backend/service/ref"
	"weft/backend/store/spaces"
)

// Bootstrap answers all that a frontend needs for its first screen.
func (s *Service) Bootstrap(ctx context.Context, _ none) (Bootstrap, error) {
	spaces, err := s.ListSpaces(ctx, ListSpacesRequest{})
	if err != nil {
		return Bootstrap{}, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = string(filepath.Separator)
	}
	return Bootstrap{
		Version: s.opt.Version, Mode: s.opt.Mode, Platform: runtime.GOOS, Home: home, Folder: startFolder(home), DataDir: s.opt.DataDir,
		SettingsPath: s.settings.Path(), Spaces: spaces, Agents: s.agents.List(),
		Appearance: Appearance(s.settings.Get().Appearance), ToolCalls: toolCallsOf(s.settings.Get()), Problems: s.problems.List(),
	}, nil
}

// startFolder is the working directory if somebody chose it: an app that is started from a
// menu runs in the root or in the home folder.
func startFolder(home string) string {
	dir, err := os.Getwd()
	if err != nil || dir == filepath.Dir(dir) {
		return home
	}
	return dir
}

// ListSpaces answers spaces, last activity first.
func (s *Service) ListSpaces(ctx context.Context, req ListSpacesRequest) ([]Space, error) {
	rows, err := s.store.Spaces.List(ctx, spaces.Filter{Archived: req.Archived, Query: req.Query})
	if err != nil {
		return nil, err
	}
	list := make([]Space, len(rows))
	for i, row := range rows {
		list[i] = s.view(row)
	}
	return list, nil
}

func (s *Service) space(ctx context.Context, id string) (Space, error) {
	row, err := s.store.Spaces.Get(ctx, id)
	if err != nil {
		return Space{}, err
	}
	return s.view(row), nil
}

// view adds to a space what it is doing now.
func (s *Service) view(row spaces.Space) Space {
	sp := Space{
		ID: row.ID, Title: row.Title, Folder: row.Folder, AgentID: row.AgentID, AgentName: row.AgentName,
		State: SpaceIdle, Archived: row.Archived, CreatedAt: row.CreatedAt, LastActivity: row.LastActivity, Permissions: row.Permissions,
		Unseen: row.Unseen(), Worktree: s.trees.Of(row), Waits: []runs.Wait{}, TreeID: cmp.Or(row.Tree, row.ID), ParentID: row.Parent,
		Members: s.memberViews(row.Members), NoFolder: s.ownsFolder(row.Folder),
	}
	if c, err := s.agentRegistry.Get(row.AgentID); err == nil {
		sp.AgentName = c.Name
	}
	st := s.runs.State(row.ID)
	if st.Waiting {
		sp.Waits = st.Waits
	}
	switch {
	case st.Waiting:
		sp.State = SpaceWaiting
	case len(st.Runs) > 0:
		sp.State = SpaceRunning
	case row.LastState == spaces.StateFailed:
		sp.State = SpaceFailed
	}
	return sp
}

// MarkSeen notes that the person has seen how the runs of a space ended.
func (s *Service) MarkSeen(ctx context.Context, req ref.SpaceRef) (none, error) {
	if err := s.store.Spaces.MarkSeen(ctx, req.SpaceID); err != nil {
		return none{}, err
	}
	s.spaceChanged(req.SpaceID)
	return none{}, nil
}

// CreateSpace makes a space. The folder must exist; without one it is the home folder. With a worktree it blocks for
// the checkout.
func (s *Service) CreateSpace(ctx context.Context, req CreateSpaceRequest) (Space, error) {
	members, err := s.membersOf(req.Members)
	if err != nil {
		return Space{}, err
	}
	if len(members) > 0 {
		req.AgentID = members[0].AgentID
	}
	if req.AgentID == "" {
		req.AgentID = s.agentRegistry.Default().ID
	}
	config, err := s.agentRegistry.Get(req.AgentID)
	if err != nil {
		return Space{}, err
	}
	var id, folder string
	if req.NoFolder {
		id = spaces.NewID()
		folder, err = s.makeOwnFolder(id)
	} else {
		folder, err = folders.Of(req.Folder)
	}
	if err != nil {
		return Space{}, err
	}
	if req.Worktree != nil && !req.NoFolder {
		id = spaces.NewID()
		if folder, err = s.trees.Make(ctx, id, folder, clip.Line(cmp.Or(req.Title, req.Words), 60), *req.Worktree); err != nil {
			return Space{}, err
		}
	}
	row, err := s.store.Spaces.Create(ctx, spaces.Space{ID: id, Title: strings.TrimSpace(req.Title), Folder: folder, AgentID: config.ID, AgentName: config.Name, Members: members})
	if err != nil {
		return Space{}, err
	}
	if row.Title != "" {
		if err := s.store.Meta.Set(ctx, titledKey(row.ID), "person"); err != nil {
			return Space{}, err
		}
	}
	s.review.Warm(row.ID)
	s.spaceChanged(row.ID)
	return s.view(row), nil
}

// UpdateSpace changes the fields that are given.
func (s *Service) UpdateSpace(ctx context.Context, req UpdateSpaceRequest) (Space, error) {
	change := spaces.Change{Title: req.Title, Archived: req.Archived}
	if req.Title != nil {
		title := strings.TrimSpace(*req.Title)
		change.Title = &title
		if err := s.store.Meta.Set(ctx, titledKey(req.SpaceID), "person"); err != nil {
			return Space{}, err
		}
	}
	if req.Permissions != nil {
		if !permission.Mode(*req.Permissions).Valid() {
			return Space{}, invalid("A space asks always (“ask”), follows the rules (“rules”) or is read-only (“read-only”).")
		}
		change.Permissions = req.Permissions
		// So that what is stored last is what holds.
		defer s.rules.Hold()()
	}
	if req.Folder != nil {
		folder, err := folders.Of(*req.Folder)
		if err != nil {
			return Space{}, err
		}
		change.Folder = &folder
	}
	if req.AgentID != nil {
		config, err := s.agentRegistry.Get(*req.AgentID)
		if err != nil {
			return Space{}, err
		}
		change.AgentID, change.AgentName = &config.ID, &config.Name
	}
	if req.Folder != nil || req.AgentID != nil {
		if s.works(req.SpaceID, "") {
			return Space{}, &Error{Code: "conflict", Message: "The agent is still working. Stop it before you change its agent or folder."}
		}
		if err := s.runs.Drop(ctx, req.SpaceID); err != nil {
			return Space{}, err
		}
	}
	if req.Folder != nil {
		if err := s.review.Forget(ctx, req.SpaceID); err != nil {
			return Space{}, err
		}
	}
	row, err := s.store.Spaces.Update(ctx, req.SpaceID, change)
	if err != nil {
		return Space{}, err
	}
	if req.Archived != nil && *req.Archived && !s.works(row.ID, "") {
		// What is put away needs no agent. It blocks for seconds at worst.
		if err := s.runs.Drop(ctx, row.ID); err != nil {
			return Space{}, err
		}
	}
	if req.Permissions != nil {
		s.runs.SetMode(row.ID, permission.Mode(*req.Permissions))
	}
	s.spaceChanged(row.ID)
	return s.view(row), nil
}

// DeleteSpace ends what runs in a space and takes it out of the list; its branches stay. RestoreSpace brings
// it back until the app is next started. What its agent has kept goes only if that is asked for, and for ever; then it
// blocks for the agent.
func (s *Service) DeleteSpace(ctx context.Context, req DeleteSpaceRequest) (DeletedSpace, error) {
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
	s.news.Tell(spaceKey(req.SpaceID), func() news.Event { return s.spaceEvent(req.SpaceID) })
	if req.AtAgent {
		return DeletedSpace{Left: s.forgetAtAgent(ctx, sp, kept)}, nil
	}
	return DeletedSpace{}, nil
}

// RestoreSpace brings a deleted space back.
func (s *Service) RestoreSpace(ctx context.Context, req ref.SpaceRef) (Space, error) {
	row, err := s.store.Spaces.Restore(ctx, req.SpaceID)
	if err != nil {
		return Space{}, err
	}
	s.spaceChanged(row.ID)
	return s.view(row), nil
}

// purgeDeleted deletes for ever what was deleted before this start: it can be brought back until then.
func (s *Service) purgeDeleted() {
	list, err := s.store.Spaces.List(s.work.Context(), spaces.Filter{Deleted: true})
	for _, sp := range list {
		if err != nil {
			break
		}
		var done bool
		if done, err = s.store.PurgeDeleted(s.work.Context(), sp.ID, s.startedAt); done {
			s.leaveOwnFolder(sp.Folder)
		}
	}
	if err != nil && s.work.Context().Err() == nil {
		s.opt.Log.Warn().Err(err).Msg("deleted spaces could not be deleted for ever")
	}
}

func titledKey(spaceID string) string { return "titled:" + spaceID }

// title names a space after text, unless it has a title that weighs more: the person's
// own over the agent's over the first prompt.
func (s *Service) title(ctx context.Context, spaceID, text, by string) {
	weight := map[string]int{"": 0, "prompt": 1, "agent": 2, "person": 3}
	was, _, err := s.store.Meta.Get(ctx, titledKey(spaceID))
	if err != nil || weight[was] > weight[by] || was == "prompt" && by == "prompt" {
		return
	}
	title := clip.Line(text, 80)
	if title == "" {
		return
	}
	if _, err := s.store.Spaces.Update(ctx, spaceID, spaces.Change{Title: &title}); err != nil {
		s.opt.Log.Warn().Err(err).Msg("a space could not be given a title")
		return
	}
	if err := s.store.Meta.Set(ctx, titledKey(spaceID), by); err != nil {
		s.opt.Log.Warn().Err(err).Msg("a space's title could not be marked")
	}
	s.spaceChanged(spaceID)
}

func (s *Service) agentTitle(spaceID, title string) {
	s.work.Go(func() {
		ctx, cancel := s.work.Bounded()
		defer cancel()
		s.title(ctx, spaceID, title, "agent")
	})
}
