package store

import "context"

// Worktree is a git worktree that Weft has made for a space.
type Worktree struct {
	ID         string
	SpaceID    string // whose folder it is, or was
	Path       string // absolute
	Repository string // the top folder of the working tree that it was made from
	Folder     string // in that, the folder that the person chose
	Branch     string
	BaseBranch string // empty: there was none
	BaseCommit string
	CreatedAt  int64

	// Of the space, as it is now.
	SpaceTitle    string
	SpaceGone     bool // deleted
	SpaceArchived bool
}

const worktreeColumns = `w.id, w.space_id, w.path, w.repository, w.folder, w.branch, w.base_branch, w.base_commit, w.created_at,
	coalesce(s.title, ''), s.sid IS NULL OR s.deleted_at > 0, coalesce(s.archived, 0)
	FROM worktree w LEFT JOIN space s ON s.id = w.space_id`

func (s *Store) worktrees(rest string, args ...any) ([]Worktree, error) {
	list := []Worktree{}
	err := s.read(func(c *conn) error {
		return c.each("SELECT "+worktreeColumns+rest, args, func(scan func(...any) error) (bool, error) {
			var w Worktree
			err := scan(&w.ID, &w.SpaceID, &w.Path, &w.Repository, &w.Folder, &w.Branch, &w.BaseBranch, &w.BaseCommit, &w.CreatedAt,
				&w.SpaceTitle, &w.SpaceGone, &w.SpaceArchived)
			list = append(list, w)
			return true, err
		})
	})
	return list, wrap(err, "list the worktrees")
}

// Worktrees lists all worktrees, newest first.
func (s *Store) Worktrees(_ context.Context) ([]Worktree, error) {
	return s.worktrees(" ORDER BY w.created_at DESC, w.id")
}

// Worktree answers one worktree, not_found if it is not known (any more).
func (s *Store) Worktree(_ context.Context, id string) (Worktree, error) {
	list, err := s.worktrees(" WHERE w.id = ?", id)
	if err == nil && len(list) == 0 {
		err = &Error{Code: CodeNotFound, Message: "This worktree was removed already."}
	}
	if err != nil {
		return Worktree{}, err
	}
	return list[0], nil
}

// AddWorktree notes a worktree before it is made, so that it is never forgotten on disk.
func (s *Store) AddWorktree(ctx context.Context, w Worktree) error {
	if w.CreatedAt == 0 {
		w.CreatedAt = s.opt.Now().UnixMilli()
	}
	return s.change(ctx, "note a worktree", func(c *conn) error {
		return c.exec("INSERT INTO worktree (id, space_id, path, repository, folder, branch, base_branch, base_commit, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			w.ID, w.SpaceID, w.Path, w.Repository, w.Folder, w.Branch, w.BaseBranch, w.BaseCommit, w.CreatedAt)
	})
}

// DropWorktree forgets a worktree that is not on disk any more.
func (s *Store) DropWorktree(ctx context.Context, id string) error {
	return s.change(ctx, "forget a worktree", func(c *conn) error {
		return c.exec("DELETE FROM worktree WHERE id = ?", id)
	})
}
