package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/git"
)

// Tree is a worktree that exists or is planned.
type Tree struct {
	Path       string // absolute
	Repository string // root of the working tree from which it was created
	Branch     string
	BaseBranch string // the branch that was checked out there, or ""
	BaseCommit string
	Agreed     string // token of the repository's commands whose filters the user agreed to run; see [git.Options]
}

// Place returns a folder in dir for a worktree of the repository. id makes it unique.
func (r *Repository) Place(dir, id string) string {
	name := Slug(r.Name)
	if name == "" {
		name = "repository"
	}
	return filepath.Join(dir, name+"-"+id)
}

// Plan plans a worktree with a new branch. Errors: CodeInvalidBranch, CodeBranchExists, CodeInvalidFolder.
func (r *Repository) Plan(ctx context.Context, path, branch string) (*Tree, error) {
	if err := r.Branches(ctx, branch); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return nil, fault.New(CodeInvalidFolder, "The folder of a worktree must be an absolute path.")
	}
	path = filepath.Clean(path)
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(CodeInvalidFolder, "{{path}} already exists and isn't an empty folder. Choose an empty or a new folder.", path).Because(err)
	}
	// Resolve symbolic links in the part of the path that exists.
	if within(real(path), real(r.Top)) {
		return nil, fault.New(CodeInvalidFolder, "A worktree can't be inside the repository's folder. Choose a folder outside {{folder}}.", r.Top)
	}
	return &Tree{Path: path, Repository: r.Top, Branch: branch, BaseBranch: r.Branch, BaseCommit: r.Commit}, nil
}

// real resolves symbolic links in the part of a path that exists.
func real(path string) string {
	for rest := ""; ; {
		if p, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(p, rest)
		}
		parent := filepath.Dir(path)
		if parent == path {
			return filepath.Join(path, rest)
		}
		rest = filepath.Join(filepath.Base(path), rest)
		path = parent
	}
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Add creates the worktree and its branch. If it fails, it removes both. It blocks on the checkout.
func Add(ctx context.Context, t *Tree) error {
	ctx, cancel := context.WithTimeout(ctx, changeTimeout)
	defer cancel()
	if err := os.MkdirAll(filepath.Dir(t.Path), 0o700); err != nil {
		return fault.New(CodeInvalidFolder, "The folder {{path}} can't be created. Choose another one.", filepath.Dir(t.Path)).Because(err)
	}
	if err := t.checkout(ctx); err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
		defer cancel()
		t.undo(undo)
		return git.Explain(err, "create the worktree")
	}
	return nil
}

// checkout creates the worktree without its files, locked like git locks an incomplete one, and then checks out the
// files in a second call, which reads the configuration that applies in the new worktree.
func (t *Tree) checkout(ctx context.Context) error {
	if _, _, err := run(ctx, t.Repository, "worktree", "add", "--quiet", "--no-checkout", "--lock", "--reason", unfinished, "-b", t.Branch, t.Path, t.BaseCommit); err != nil {
		return err
	}
	if _, _, err := runWith(ctx, t.Path, git.Options{Agreed: t.Agreed, Checkout: true}, "reset", "--hard", "--quiet", "--no-recurse-submodules"); err != nil {
		return err
	}
	_, _, err := run(ctx, t.Repository, "worktree", "unlock", t.Path)
	return err
}

// undo removes what a failed Add has left. It contains no work of the user.
func (t *Tree) undo(ctx context.Context) {
	_, _, _ = run(ctx, t.Repository, "worktree", "remove", "--force", "--force", t.Path)
	_, _, _ = run(ctx, t.Repository, "update-ref", "-d", "refs/heads/"+t.Branch, t.BaseCommit)
	_ = os.Remove(t.Path) // fails if it isn't empty
}
