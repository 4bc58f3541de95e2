package spaces

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/api/service/files"
	"weft/backend/api/service/jobs"
	"weft/backend/api/service/permissions"
	"weft/backend/api/service/ref"
	"weft/backend/base/clip"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/changes/review"
	"weft/backend/interchange/sessionfiles"
	"weft/backend/permission"
	"weft/backend/settings"
	"weft/backend/space/requests"
	"weft/backend/space/runs"
	"weft/backend/space/team"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// Options configures [New].
type Options struct {
	Store    *store.Store
	Settings *settings.File
	Agents   *agent.Registry
	Runs     *runs.Manager
	Reviews  *review.Reviews
	Rules    *permissions.Rules
	Trees    *Worktrees
	Work     *jobs.Work
	DataDir  string
	Log      zerolog.Logger
	Changed  func(spaceID string) // called after a space has changed
	Deleted  func(spaceID string) // called after a space was deleted
}

// Spaces are the spaces of a store with their current activity.
type Spaces struct {
	store    *store.Store
	settings *settings.File
	agents   *agent.Registry
	runs     *runs.Manager
	reviews  *review.Reviews
	rules    *permissions.Rules
	trees    *Worktrees
	work     *jobs.Work
	dataDir  string
	log      zerolog.Logger
	changed  func(spaceID string)
	deleted  func(spaceID string)
	found    *projects
	Rows     *Rows // cached spaces
}

// New returns the spaces of a store.
func New(opt Options) *Spaces {
	s := &Spaces{
		store: opt.Store, settings: opt.Settings, agents: opt.Agents, runs: opt.Runs, reviews: opt.Reviews, rules: opt.Rules, trees: opt.Trees,
		work: opt.Work, dataDir: opt.DataDir, log: opt.Log, changed: opt.Changed, deleted: opt.Deleted,
		Rows: &Rows{store: opt.Store},
	}
	s.found = &projects{store: opt.Store, work: opt.Work, log: opt.Log, own: s.ownsFolder, changed: opt.Changed, asked: map[string]bool{}}
	return s
}

// ListSpaces returns spaces, last activity first.
func (s *Spaces) ListSpaces(ctx context.Context, req ListSpacesRequest) ([]Space, error) {
	return Views(ctx, s, func() ([]spaces.Space, error) {
		return s.store.Spaces.List(ctx, spaces.Filter{Archived: req.Archived, Query: req.Query, Until: req.Until, Limit: max(req.Limit, 0)})
	})
}

// Get returns a space with its current activity.
func (s *Spaces) Get(ctx context.Context, id string) (Space, error) {
	return viewOf(ctx, s, func() (spaces.Space, error) { return s.store.Spaces.Get(ctx, id) })
}

// Views returns the spaces that read returns, with their current activity. It may call read twice.
func Views(ctx context.Context, s *Spaces, read func() ([]spaces.Space, error)) ([]Space, error) {
	ends := s.Rows.ends.Load()
	rows, err := read()
	if err != nil {
		return nil, err
	}
	states := make(map[string]Doing, len(rows))
	for _, row := range rows {
		states[row.ID] = DoingNow(s, row.ID)
	}
	if s.Rows.ends.Load() != ends { // rows read before the end of a run don't have its result
		if rows, err = read(); err != nil {
			return nil, err
		}
	}
	list := make([]Space, 0, len(rows))
	for _, row := range rows {
		st, looked := states[row.ID]
		sp := s.View(row, st)
		if !looked { // created in the meantime
			if sp, err = s.Get(ctx, row.ID); fault.CodeOf(err) == fault.NotFound {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		list = append(list, sp)
	}
	return list, nil
}

// viewOf is Views for one space.
func viewOf(ctx context.Context, s *Spaces, read func() (spaces.Space, error)) (Space, error) {
	list, err := Views(ctx, s, func() ([]spaces.Space, error) {
		row, err := read()
		return []spaces.Space{row}, err
	})
	if err != nil {
		return Space{}, err
	}
	return list[0], nil
}

// Doing is the current activity of a space.
type Doing struct {
	runs.State
	Ends bool // for each run that is no longer listed, the end is stored
}

// DoingNow returns the current activity of a space.
func DoingNow(s *Spaces, id string) Doing {
	st := s.runs.State(id)
	return Doing{st, st.Open && s.Rows.ending(id)}
}

// View combines a row with the space's activity. The row must be at least as new as the activity: a space isn't idle
// before its row says how the last run ended.
func (s *Spaces) View(row spaces.Space, st Doing) Space {
	sp := Space{
		ID: row.ID, Title: row.Title, Folder: row.Folder, AgentID: row.AgentID, AgentName: row.AgentName,
		State: SpaceIdle, Archived: row.Archived, CreatedAt: row.CreatedAt, LastActivity: row.LastActivity, Permissions: row.Permissions,
		Unseen: row.Unseen(), Worktree: s.trees.of(row), Waits: []requests.Wait{}, TreeID: cmp.Or(row.Tree, row.ID), ParentID: row.Parent,
		Members: s.memberViews(row.Members), NoFolder: s.ownsFolder(row.Folder), MadeBy: row.MadeBy, Tags: row.Tags, Draft: row.Draft, ImportedFrom: sessionfiles.NameOf(row.ImportedFrom),
	}
	sp.Project = s.found.of(row, sp.Worktree)
	if c, err := s.agents.Get(row.AgentID); err == nil {
		sp.AgentName = c.Name
	}
	if st.Waiting {
		sp.Waits = st.Waits
	}
	switch {
	case st.Waiting:
		sp.State = SpaceWaiting
	case len(st.Runs) > 0 || st.Ends:
		sp.State = SpaceRunning
	case row.LastState == spaces.StateFailed:
		sp.State = SpaceFailed
	}
	return sp
}

// MarkSeen records that the user has seen how the runs of a space ended: it is no longer `unseen`.
func (s *Spaces) MarkSeen(ctx context.Context, req ref.SpaceRef) (command.None, error) {
	if err := s.store.Spaces.MarkSeen(ctx, req.SpaceID); err != nil {
		return command.None{}, err
	}
	s.changed(req.SpaceID)
	return command.None{}, nil
}

// CreateSpace creates a space. The folder must exist; the default is the home folder. The first of `members` is the
// default member. With a worktree it blocks for the checkout; without a branch name, the branch is named after `title`
// or `words`. Errors: commands_unanswered and commands_changed, about commands that the repository would run.
func (s *Spaces) CreateSpace(ctx context.Context, req CreateSpaceRequest) (Space, error) {
	if !slices.Contains([]string{"", spaces.MadeByUser, spaces.MadeByAgent, spaces.MadeBySchedule, spaces.MadeByImport}, req.MadeBy) {
		return Space{}, fault.New(fault.Invalid, "A space can be made by a user, an agent, a schedule or an import (“user”, “agent”, “schedule”, “import”).")
	}
	members, err := s.makeMembers(req.Members)
	if err != nil {
		return Space{}, err
	}
	if len(members) > 0 {
		req.AgentID = members[0].AgentID
	}
	if req.AgentID == "" {
		req.AgentID = s.agents.Default().ID
	}
	config, err := s.agents.Get(req.AgentID)
	if err != nil {
		return Space{}, err
	}
	var id, folder string
	if req.NoFolder {
		id = spaces.NewID()
		folder, err = s.makeOwnFolder(id)
	} else {
		folder, err = files.ResolveFolder(req.Folder)
	}
	if err != nil {
		return Space{}, err
	}
	if req.Worktree != nil && !req.NoFolder {
		id = spaces.NewID()
		if folder, err = s.trees.makeFor(ctx, id, folder, clip.Line(cmp.Or(req.Title, req.Words), 60), *req.Worktree); err != nil {
			return Space{}, err
		}
	}
	row, err := s.store.Spaces.Create(ctx, spaces.Space{
		ID: id, Title: strings.TrimSpace(req.Title), Folder: folder, AgentID: config.ID, AgentName: config.Name, Members: members, MadeBy: req.MadeBy, Project: s.found.at(folder),
	})
	if err != nil {
		return Space{}, err
	}
	if row.Title != "" {
		if err := s.store.Meta.Set(ctx, TitledKey(row.ID), TitledByUser); err != nil {
			return Space{}, err
		}
	}
	s.reviews.Watcher.Warm(row.ID)
	s.changed(row.ID)
	return s.View(row, Doing{}), nil
}

// UpdateSpace changes the fields that are given.
func (s *Spaces) UpdateSpace(ctx context.Context, req UpdateSpaceRequest) (Space, error) {
	change := spaces.Change{Title: req.Title, Archived: req.Archived}
	if req.Keep {
		user := spaces.MadeByUser
		change.MadeBy = &user
	}
	if req.Title != nil {
		title := strings.TrimSpace(*req.Title)
		change.Title = &title
		if err := s.store.Meta.Set(ctx, TitledKey(req.SpaceID), TitledByUser); err != nil {
			return Space{}, err
		}
	}
	if req.Permissions != nil {
		if !permission.Mode(*req.Permissions).Valid() {
			return Space{}, fault.New(fault.Invalid, "A space must always ask (“ask”), follow the rules (“rules”) or be read-only (“read-only”).")
		}
		change.Permissions = req.Permissions
		// So that the last stored value is the one in force.
		defer s.rules.Hold()()
	}
	if req.Folder != nil {
		folder, err := files.ResolveFolder(*req.Folder)
		if err != nil {
			return Space{}, err
		}
		change.Folder = &folder
		project := projectOf(folder)
		change.Project = &project
	}
	if req.AgentID != nil {
		config, err := s.agents.Get(*req.AgentID)
		if err != nil {
			return Space{}, err
		}
		change.AgentID, change.AgentName = &config.ID, &config.Name
	}
	if req.Folder != nil || req.AgentID != nil {
		if s.Works(req.SpaceID, "") {
			return Space{}, fault.New(fault.Conflict, "The agent is still working. Stop it before you change its agent or folder.")
		}
		if err := s.runs.Drop(ctx, req.SpaceID); err != nil {
			return Space{}, err
		}
	}
	if req.Folder != nil {
		if err := s.reviews.Forget(ctx, req.SpaceID); err != nil {
			return Space{}, err
		}
	}
	row, err := s.store.Spaces.Update(ctx, req.SpaceID, change)
	if err != nil {
		return Space{}, err
	}
	if req.Archived != nil && *req.Archived && !s.Works(row.ID, "") {
		// An archived space needs no agent. This blocks for some seconds at most.
		if err := s.runs.Drop(ctx, row.ID); err != nil {
			return Space{}, err
		}
	}
	if req.Permissions != nil {
		s.runs.SetMode(row.ID, permission.Mode(*req.Permissions))
	}
	s.changed(row.ID)
	return s.Get(ctx, row.ID)
}

// Works reports whether a member has a turn in progress; "" means any member.
func (s *Spaces) Works(spaceID, memberID string) bool { return works(s.runs, spaceID, memberID) }

func works(manager *runs.Manager, spaceID, memberID string) bool {
	return slices.ContainsFunc(manager.State(spaceID).Runs, func(r runs.RunState) bool { return r.Home == "" && (memberID == "" || r.MemberID == memberID) })
}

// ForRuns returns a space in the form that package runs uses.
func (s *Spaces) ForRuns(ctx context.Context, id string) (team.Space, error) {
	sp, _, err := s.Rows.row(ctx, id)
	if err != nil {
		return team.Space{}, err
	}
	out := team.Space{ID: sp.ID, Folder: sp.Folder, Mode: permission.Mode(sp.Permissions)}
	for _, m := range sp.Members {
		member := team.Member{ID: m.ID, Name: s.memberName(m), AgentID: m.AgentID, Role: m.Role, ByTool: m.Speaks == spaces.SpeaksByTool, Default: m.Default}
		if m.Reads == spaces.ReadsJoined {
			member.Since = m.JoinedOrd
		}
		out.Members = append(out.Members, member)
	}
	return out, nil
}
