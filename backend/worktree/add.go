package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/fault"
	"weft/backend/git"
)

// Tree is a worktree that was made, or is to be.
type Tree struct {
	Path       string // absolute
	Repository string // the top folder of the working tree that it was made from
	Branch     string
	BaseBranch string // what was checked out there, "" if nothing was
	BaseCommit string
	Agreed     string // token of the commands of the repository whose filters the user agreed to run; see [git.Options]
}

// Place returns a folder for a worktree of the repository below dir. id tells it from others.
func (r *Repository) Place(dir, id string) string {
	name := Slug(r.Name)
	if name == "" {
		name = "repository"
	}
	return filepath.Join(dir, name+"-"+id)
}

// Plan checks where a worktree with a new branch would be made. Errors: CodeInvalidBranch, CodeBranchExists, CodeInvalidFolder.
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
	// Links are followed as far as there is something.
	if within(real(path), real(r.Top)) {
		return nil, fault.New(CodeInvalidFolder, "A worktree can't be inside the repository's folder. Choose a folder outside {{folder}}.", r.Top)
	}
	return &Tree{Path: path, Repository: r.Top, Branch: branch, BaseBranch: r.Branch, BaseCommit: r.Commit}, nil
}

// real follows the links of the part of a path that is there.
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

// Add makes the worktree and its branch. If it fails, neither is left. It blocks for a checkout.
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

// checkout makes the worktree without its files, locked as git itself locks one that it is making, and then the files: a call of
// its own, so that the configuration is read that holds in the new worktree.
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

// undo takes away what a failed Add has left: nothing of it is anyone's work.
func (t *Tree) undo(ctx context.Context) {
	_, _, _ = run(ctx, t.Repository, "worktree", "remove", "--force", "--force", t.Path)
	_, _, _ = run(ctx, t.Repository, "update-ref", "-d", "refs/heads/"+t.Branch, t.BaseCommit)
	_ = os.Remove(t.Path) // only if it is empty
}
