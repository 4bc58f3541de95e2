package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"weft/backend/base/fault"
	"weft/backend/git"
)

// unfinished is git's own lock reason for an incomplete worktree. If Weft is killed while creating one, it stays
// locked with it.
const unfinished = "initializing"

// Removal is what Remove may remove.
type Removal struct {
	// Token identifies the state that the user was shown. If the present state differs, nothing is removed.
	Token string
	// Anyway removes unsaved work too.
	Anyway bool
	// Branch also deletes the branch if all of its commits are on the base.
	Branch bool
}

// Remove removes a worktree with git after checking its state again. kept is the name of a branch that it created for
// commits without a branch, or "". Errors: CodeChanged, CodeUnsaved, CodeLocked, and those of [Tree.State].
func (t *Tree) Remove(ctx context.Context, how Removal) (kept string, err error) {
	s, err := t.State(ctx)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, changeTimeout)
	defer cancel()
	switch {
	case s.Token != how.Token:
		return "", fault.New(CodeChanged, "Something in the worktree has changed since it was shown. Review it again.")
	case s.Foreign:
		return "", fault.New(CodeUnsaved, "The folder {{path}} isn't the worktree that Weft created. Remove it yourself if you don't need anything in it.", t.Path)
	case s.Locked && s.LockReason != unfinished:
		return "", fault.New(CodeLocked, "The worktree is locked. Unlock it with git worktree unlock, then remove it.")
	case s.Unsaved() && !how.Anyway:
		return "", fault.New(CodeUnsaved, "The worktree has work that isn't saved anywhere else.")
	}
	if s.Loose > 0 {
		if kept, err = t.keep(ctx, s.Head); err != nil {
			return "", err
		}
	}
	if !s.RepoGone {
		if err := t.remove(ctx, s, how.Anyway); err != nil {
			return kept, err
		}
		if how.Branch && !s.BranchGone && s.Unmerged == 0 {
			if err := t.deleteBranch(ctx, s.BranchTip); err != nil {
				return kept, err
			}
		}
	}
	return kept, nil
}

func (t *Tree) remove(ctx context.Context, s *State, anyway bool) error {
	args := []string{"worktree", "remove"}
	if s.Missing || anyway && s.Unsaved() {
		args = append(args, "--force")
	}
	if s.Locked { // unfinished
		args = append(args, "--force")
	}
	_, _, err := run(ctx, t.Repository, append(args, t.Path)...)
	if err == nil {
		return nil
	}
	if s.Missing {
		// Git may no longer know the worktree.
		if list, lerr := t.entries(ctx); lerr == nil && !slices.ContainsFunc(list, func(e entry) bool { return real(e.path) == real(t.Path) }) {
			return nil
		}
	}
	return git.Explain(err, "remove the worktree")
}

// keep creates a branch for commits that have none.
func (t *Tree) keep(ctx context.Context, head string) (string, error) {
	name := "weft-kept/" + filepath.Base(t.Path) + "-" + head[:min(8, len(head))]
	if _, _, err := run(ctx, t.Repository, "update-ref", "refs/heads/"+name, head); err != nil {
		return "", git.Explain(err, "keep the commits without a branch")
	}
	return name, nil
}

// deleteBranch deletes the branch if it hasn't moved, all of its commits are on the base, and no worktree has it
// checked out.
func (t *Tree) deleteBranch(ctx context.Context, tip string) error {
	list, err := t.entries(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(e entry) bool { return e.branch == t.Branch }) {
		return fault.New(CodeUnsaved, "The branch {{branch}} was kept: it is checked out somewhere else.", t.Branch)
	}
	n, err := count(ctx, t.Repository, append([]string{tip, "--not"}, t.base(ctx)...)...)
	if err != nil {
		return err
	}
	if n > 0 {
		return fault.New(CodeUnsaved, "The branch {{branch}} was kept: it has commits that aren't on its base.", t.Branch)
	}
	if _, _, err := run(ctx, t.Repository, "update-ref", "-d", "refs/heads/"+t.Branch, tip); err != nil {
		return git.Explain(err, "delete the branch")
	}
	return nil
}

// Gone reports whether the worktree's folder doesn't exist.
func (t *Tree) Gone() bool {
	_, err := os.Lstat(t.Path)
	return errors.Is(err, fs.ErrNotExist)
}
