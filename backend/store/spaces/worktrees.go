package spaces

import (
	"context"

	"weft/backend/store/db"
)

// Worktrees are the git worktrees that Weft created for spaces. They outlive their spaces.
type Worktrees struct{ db *db.DB }

// NewWorktrees returns the worktrees in d.
func NewWorktrees(d *db.DB) *Worktrees { return &Worktrees{d} }

// Worktree is a git worktree that Weft created for a space.
type Worktree struct {
	ID         string
	SpaceID    string // the space that uses it as its folder, or did
	Path       string // absolute
	Repository string // the top folder of the working tree that it was created from
	Folder     string // the folder in Repository that the user chose
	Branch     string
	BaseBranch string // "" if there was none
	BaseCommit string
	CreatedAt  int64

	// The current state of the space.
	SpaceTitle    string
	SpaceGone     bool // deleted
	SpaceArchived bool
}

const worktreeColumns = `w.id, w.space_id, w.path, w.repository, w.folder, w.branch, w.base_branch, w.base_commit, w.created_at,
	coalesce(s.title, ''), s.sid IS NULL OR s.deleted_at > 0, coalesce(s.archived, 0)
	FROM worktree w LEFT JOIN space s ON s.id = w.space_id`

func (w *Worktrees) list(ctx context.Context, rest string, args ...any) ([]Worktree, error) {
	list := []Worktree{}
	err := w.db.Read(ctx, "list the worktrees", func(c *db.Conn) error {
		return c.Each("SELECT "+worktreeColumns+rest, args, func(scan db.Scan) (bool, error) {
			var w Worktree
			err := scan(&w.ID, &w.SpaceID, &w.Path, &w.Repository, &w.Folder, &w.Branch, &w.BaseBranch, &w.BaseCommit, &w.CreatedAt,
				&w.SpaceTitle, &w.SpaceGone, &w.SpaceArchived)
			list = append(list, w)
			return true, err
		})
	})
	return list, err
}

// List returns all worktrees, newest first.
func (w *Worktrees) List(ctx context.Context) ([]Worktree, error) {
	return w.list(ctx, " ORDER BY w.created_at DESC, w.id")
}

// Get returns a worktree. The error has the code not_found if there is none with that id.
func (w *Worktrees) Get(ctx context.Context, id string) (Worktree, error) {
	list, err := w.list(ctx, " WHERE w.id = ?", id)
	if err == nil && len(list) == 0 {
		err = db.Fail(db.CodeNotFound, "This worktree was already removed.")
	}
	if err != nil {
		return Worktree{}, err
	}
	return list[0], nil
}

// Add stores a worktree. Callers add it before they create it on disk, so that it is never forgotten there.
func (w *Worktrees) Add(ctx context.Context, tree Worktree) error {
	if tree.CreatedAt == 0 {
		tree.CreatedAt = w.db.Now()
	}
	return w.db.Change(ctx, "save the worktree", func(c *db.Conn) error {
		return c.Exec("INSERT INTO worktree (id, space_id, path, repository, folder, branch, base_branch, base_commit, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			tree.ID, tree.SpaceID, tree.Path, tree.Repository, tree.Folder, tree.Branch, tree.BaseBranch, tree.BaseCommit, tree.CreatedAt)
	})
}

// Remove forgets a worktree that is no longer on disk.
func (w *Worktrees) Remove(ctx context.Context, id string) error {
	return w.db.Change(ctx, "forget the worktree", func(c *db.Conn) error {
		return c.Exec("DELETE FROM worktree WHERE id = ?", id)
	})
}
