package spaces

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"weft/backend/api/service/files"
	"weft/backend/base/clip"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/changes/review"
	"weft/backend/changes/worktree"
	"weft/backend/space/runs"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// WorktreeOptions configures [NewWorktrees].
type WorktreeOptions struct {
	Store   *store.Store
	Runs    *runs.Manager
	Reviews *review.Reviews
	DataDir string
	Changed func(spaceID string) // called after the folder of a space has changed
}

// Worktrees holds Weft's worktrees by space.
type Worktrees struct {
	store   *store.Store
	runs    *runs.Manager
	reviews *review.Reviews
	dataDir string
	changed func(spaceID string)

	mu      sync.Mutex
	bySpace map[string]spaces.Worktree
	making  sync.Mutex // one at a time, so that a free name stays free
}

// NewWorktrees returns empty Worktrees; call [Worktrees.Load].
func NewWorktrees(opt WorktreeOptions) *Worktrees {
	return &Worktrees{store: opt.Store, runs: opt.Runs, reviews: opt.Reviews, dataDir: opt.DataDir, changed: opt.Changed}
}

// Load reads the worktrees from the store.
func (s *Worktrees) Load(ctx context.Context) error {
	list, err := s.store.Worktrees.List(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bySpace = map[string]spaces.Worktree{}
	for _, w := range list {
		s.bySpace[w.SpaceID] = w
	}
	return nil
}

// of returns the worktree of a space, nil if its folder is in none.
func (s *Worktrees) of(row spaces.Space) *SpaceWorktree {
	s.mu.Lock()
	w, ok := s.bySpace[row.ID]
	s.mu.Unlock()
	if !ok {
		return nil
	}
	if rel, err := filepath.Rel(w.Path, row.Folder); err != nil || !filepath.IsLocal(rel) {
		return nil // the space works elsewhere now
	}
	return &SpaceWorktree{ID: w.ID, Path: w.Path, Repository: w.Repository, Branch: w.Branch, BaseBranch: w.BaseBranch}
}

// dir returns the folder for worktrees.
func (s *Worktrees) dir() string {
	dir := filepath.Join(s.dataDir, "worktrees")
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

func gitTreeOf(w spaces.Worktree) *worktree.Tree {
	return &worktree.Tree{Path: w.Path, Repository: w.Repository, Branch: w.Branch, BaseBranch: w.BaseBranch, BaseCommit: w.BaseCommit}
}

// LookRepository returns the commit, branch name and folder of a new worktree of the folder's repository, the `reason`
// if none can be made, and the `commands` that the repository's configuration would run. Weft runs none of them; if the
// user agrees, the filters among them run when a worktree is made. It is not an error if the folder is in no
// repository.
func (s *Worktrees) LookRepository(ctx context.Context, req LookRepositoryRequest) (Repository, error) {
	folder, err := files.ResolveFolder(req.Folder)
	if err != nil {
		return Repository{}, err
	}
	r, err := worktree.Look(ctx, folder)
	var refused *worktree.Error
	switch {
	case errors.As(err, &refused) && refused.Code == worktree.CodeNoRepository:
		return Repository{Commands: []RepositoryCommand{}}, nil
	case errors.As(err, &refused):
		return Repository{Reason: refused.Message, Commands: []RepositoryCommand{}}, nil
	case err != nil:
		return Repository{}, err
	}
	branch, err := r.Propose(ctx, clip.Line(req.Title, 60))
	if err != nil {
		return Repository{}, err
	}
	answer, err := s.commandsAnswer(ctx, r.Token)
	if err != nil {
		return Repository{}, err
	}
	return Repository{
		Usable: true, Top: r.Top, Name: r.Name, Branch: r.Branch, Commit: r.Commit[:min(10, len(r.Commit))], Subject: r.Subject,
		Changed: r.Changed, Submodules: r.Submodules, Proposed: branch, Place: s.dir(),
		Commands: commandsOf(r), CommandsToken: r.Token, CommandsAnswer: answer,
	}, nil
}

// makeFor makes the worktree of a new space and returns the space's folder.
func (s *Worktrees) makeFor(ctx context.Context, spaceID, folder, title string, req WorktreeRequest) (string, error) {
	s.making.Lock()
	defer s.making.Unlock()
	r, err := worktree.Look(ctx, folder)
	if err != nil {
		return "", err
	}
	branch := strings.TrimSpace(req.Branch)
	if branch == "" {
		if branch, err = r.Propose(ctx, title); err != nil {
			return "", err
		}
	}
	path := r.Place(s.dir(), spaceID[:min(8, len(spaceID))])
	if req.Folder != "" {
		path = req.Folder
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				path = filepath.Join(home, rest)
			}
		}
	}
	tree, err := r.Plan(ctx, path, branch)
	if err != nil {
		return "", err
	}
	if tree.Agreed, err = s.consentToken(ctx, r, req); err != nil {
		return "", err
	}
	row := spaces.Worktree{
		ID: spaces.NewID(), SpaceID: spaceID, Path: tree.Path, Repository: tree.Repository, Folder: folder,
		Branch: tree.Branch, BaseBranch: tree.BaseBranch, BaseCommit: tree.BaseCommit,
	}
	// Store the row first, so that a worktree is known even after a crash.
	if err := s.store.Worktrees.Add(ctx, row); err != nil {
		return "", err
	}
	if err := worktree.Add(ctx, tree); err != nil {
		if tree.Gone() {
			err = errors.Join(err, s.store.Worktrees.Remove(context.WithoutCancel(ctx), row.ID))
		}
		return "", err
	}
	s.mu.Lock()
	s.bySpace[spaceID] = row
	s.mu.Unlock()
	if below := filepath.Join(tree.Path, filepath.FromSlash(r.Prefix)); files.IsFolder(below) {
		return below, nil
	}
	return tree.Path, nil // the folder is not in the commit
}

func worktreeView(w spaces.Worktree) Worktree {
	return Worktree{
		ID: w.ID, Path: w.Path, Repository: w.Repository, Branch: w.Branch, BaseBranch: w.BaseBranch, CreatedAt: w.CreatedAt,
		SpaceID: w.SpaceID, SpaceTitle: w.SpaceTitle, SpaceGone: w.SpaceGone, SpaceArchived: w.SpaceArchived, Missing: gitTreeOf(w).Gone(),
	}
}

// Worktrees returns the worktrees that Weft has made and not removed, newest first.
func (s *Worktrees) Worktrees(ctx context.Context, _ command.None) ([]Worktree, error) {
	rows, err := s.store.Worktrees.List(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Worktree, len(rows))
	for i, w := range rows {
		list[i] = worktreeView(w)
	}
	return list, nil
}

// WorktreeState returns the content of a worktree. In a large one it may take some seconds.
func (s *Worktrees) WorktreeState(ctx context.Context, req WorktreeRef) (WorktreeState, error) {
	w, err := s.store.Worktrees.Get(ctx, req.WorktreeID)
	if err != nil {
		return WorktreeState{}, err
	}
	st, err := gitTreeOf(w).State(ctx)
	if err != nil {
		return WorktreeState{}, err
	}
	view := worktreeView(w)
	view.Missing = st.Missing
	files := func(f worktree.Files) WorktreeFiles {
		return WorktreeFiles{Count: f.Count, Names: append([]string{}, f.Names...)}
	}
	return WorktreeState{
		Worktree: view, Foreign: st.Foreign, RepositoryGone: st.RepoGone, Locked: st.Locked, LockReason: st.LockReason,
		Changed: files(st.Changed), Untracked: files(st.Untracked), Ignored: files(st.Ignored), Hidden: files(st.Hidden),
		Submodules: append([]string{}, st.Submodules...), Busy: st.Busy, Current: st.Branch, Loose: st.Loose,
		Unmerged: st.Unmerged, Unpushed: st.Unpushed, BranchGone: st.BranchGone, Unsaved: st.Unsaved(), Token: st.Token,
	}, nil
}

// othersIn returns the titles of other spaces whose folder is in the worktree, such as branches of its space.
func (s *Worktrees) othersIn(ctx context.Context, w spaces.Worktree) (titles []string, err error) {
	for _, filter := range []spaces.Filter{{}, {Archived: true}} {
		list, err := s.store.Spaces.List(ctx, filter)
		if err != nil {
			return nil, err
		}
		for _, sp := range list {
			if rel, err := filepath.Rel(w.Path, sp.Folder); sp.ID != w.SpaceID && err == nil && filepath.IsLocal(rel) {
				titles = append(titles, "“"+cmp.Or(sp.Title, "New conversation")+"”")
			}
		}
	}
	return titles, nil
}

// RemoveWorktree removes a worktree in the state that `token` identifies. With unsaved work it requires `anyway`. The
// worktree's space continues in the original folder. Errors: unsaved, changed, locked, conflict while the agent, or
// another space, works in it.
func (s *Worktrees) RemoveWorktree(ctx context.Context, req RemoveWorktreeRequest) (RemovedWorktree, error) {
	w, err := s.store.Worktrees.Get(ctx, req.WorktreeID)
	if err != nil {
		return RemovedWorktree{}, err
	}
	if works(s.runs, w.SpaceID, "") {
		return RemovedWorktree{}, fault.New("conflict", "The agent is still working in it. Stop it before you remove its worktree.")
	}
	if others, err := s.othersIn(ctx, w); err != nil {
		return RemovedWorktree{}, err
	} else if len(others) > 0 {
		return RemovedWorktree{}, fault.New("conflict", "Other spaces work in it, too: {{others}}. Delete them first, or keep the worktree.", strings.Join(others, ", "))
	}
	row, err := s.store.Spaces.Get(ctx, w.SpaceID)
	inIt := err == nil && s.of(row) != nil
	if inIt {
		// The agent must not hold the folder or write to it.
		if err := s.runs.Drop(ctx, w.SpaceID); err != nil {
			return RemovedWorktree{}, err
		}
	}
	tree := gitTreeOf(w)
	kept, err := tree.Remove(ctx, worktree.Removal{Token: req.Token, Anyway: req.Anyway, Branch: req.Branch})
	out := RemovedWorktree{Kept: kept}
	if err != nil {
		var refused *worktree.Error
		if !tree.Gone() || !errors.As(err, &refused) {
			return RemovedWorktree{}, err
		}
		out.Note = refused.Message // the worktree is gone, its branch is not
	}
	ctx = context.WithoutCancel(ctx)
	if inIt {
		folder := w.Folder
		if !files.IsFolder(folder) {
			folder = cmp.Or(w.Repository, folder)
		}
		if err := s.reviews.Forget(ctx, w.SpaceID); err != nil {
			return out, err
		}
		if _, err := s.store.Spaces.Update(ctx, w.SpaceID, spaces.Change{Folder: &folder}); err != nil {
			return out, err
		}
	}
	if err := s.store.Worktrees.Remove(ctx, w.ID); err != nil {
		return out, err
	}
	s.mu.Lock()
	if s.bySpace[w.SpaceID].ID == w.ID {
		delete(s.bySpace, w.SpaceID)
	}
	s.mu.Unlock()
	if inIt {
		s.changed(w.SpaceID)
	}
	return out, nil
}
