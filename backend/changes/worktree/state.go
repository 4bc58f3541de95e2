package worktree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/git"
)

// maxNamed limits the number of names in [Files].
const maxNamed = 200

// Files are the files of one kind in a worktree.
type Files struct {
	Count int
	Names []string // the first names, relative and sorted; a folder ends with /
}

func (f *Files) add(name string) {
	f.Count++
	if len(f.Names) < maxNamed {
		f.Names = append(f.Names, name)
	}
}

// State is the state of a worktree.
type State struct {
	Missing    bool     // its folder is gone
	Foreign    bool     // something else is at its path
	RepoGone   bool     // the repository from which it was created can't be found
	Locked     bool     // git worktree lock
	LockReason string   // the reason, if one was given
	Changed    Files    // not committed
	Untracked  Files    // not known to git
	Ignored    Files    // ignored by .gitignore; they are removed with the worktree
	Hidden     Files    // changed files that git was told to ignore (assume-unchanged, skip-worktree)
	Submodules []string // checked-out submodules
	Busy       string   // operation in progress: merge, rebase, cherry-pick, revert, bisect, or ""
	Branch     string   // the branch that is checked out, or ""
	Head       string   // the commit that is checked out
	Loose      int      // commits that are on no branch, tag or remote and would be lost
	Unmerged   int      // commits of its branch that aren't on the base
	Unpushed   int      // those of Unmerged that aren't on a remote either
	BranchGone bool     // its branch was deleted
	BranchTip  string   // the commit of its branch
	Token      string   // identifies this state
}

// Unsaved reports whether work would be lost with the worktree.
func (s *State) Unsaved() bool {
	return s.Foreign || s.Changed.Count+s.Untracked.Count+s.Hidden.Count+len(s.Submodules)+s.Loose > 0 || s.Busy != ""
}

// State reads the state of the worktree. Errors: CodeNoGit, CodeTimeout, CodeGit.
func (t *Tree) State(ctx context.Context) (*State, error) {
	ctx, cancel := context.WithTimeout(ctx, changeTimeout)
	defer cancel()
	s := &State{}
	h := sha256.New()
	defer func() { s.Token = hex.EncodeToString(h.Sum(nil)[:16]) }()
	note := func(parts ...string) {
		for _, p := range parts {
			fmt.Fprintf(h, "%d:%s", len(p), p)
		}
	}
	if _, err := line(ctx, t.Repository, "rev-parse", "--git-common-dir"); err != nil {
		if exitCode(err) < 0 && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		s.RepoGone = true
	}
	if _, err := os.Lstat(t.Path); errors.Is(err, fs.ErrNotExist) {
		s.Missing = true
	} else if err != nil {
		return nil, fault.New(CodeGit, "The worktree at {{path}} can't be opened.", t.Path).Because(err)
	}
	note(fmt.Sprint(s.Missing, s.RepoGone))
	if !s.RepoGone {
		if err := t.registered(ctx, s); err != nil {
			return nil, err
		}
		if err := t.branch(ctx, s); err != nil {
			return nil, err
		}
	}
	note(s.BranchTip, s.LockReason)
	if s.Missing {
		return s, nil
	}
	if s.RepoGone || s.Foreign {
		s.Foreign = true
		return s, nil
	}
	if err := t.inside(ctx, s, note); err != nil {
		return nil, err
	}
	for _, f := range []*Files{&s.Changed, &s.Untracked, &s.Ignored, &s.Hidden} {
		slices.Sort(f.Names)
	}
	return s, nil
}

// entry is a worktree in git's list.
type entry struct {
	path, branch, lock string
	locked             bool
}

func (t *Tree) entries(ctx context.Context) ([]entry, error) {
	out, _, err := run(ctx, t.Repository, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, git.Explain(err, "list the worktrees")
	}
	var list []entry
	for _, f := range strings.Split(out, "\x00") {
		name, value, _ := strings.Cut(f, " ")
		switch {
		case name == "worktree":
			list = append(list, entry{path: value})
		case len(list) == 0:
		case name == "branch":
			list[len(list)-1].branch = strings.TrimPrefix(value, "refs/heads/")
		case name == "locked":
			list[len(list)-1].locked, list[len(list)-1].lock = true, value
		}
	}
	return list, nil
}

// registered finds the worktree in the list of its repository.
func (t *Tree) registered(ctx context.Context, s *State) error {
	list, err := t.entries(ctx)
	if err != nil {
		return err
	}
	path := real(t.Path)
	i := slices.IndexFunc(list, func(e entry) bool { return real(e.path) == path })
	if i < 0 {
		s.Foreign = !s.Missing
		return nil
	}
	s.Locked, s.LockReason = list[i].locked, list[i].lock
	if !s.Missing {
		// Something else may be at the path now, for instance another clone.
		mine, err1 := line(ctx, t.Path, "rev-parse", "--path-format=absolute", "--git-common-dir")
		theirs, err2 := line(ctx, t.Repository, "rev-parse", "--path-format=absolute", "--git-common-dir")
		s.Foreign = err1 != nil || err2 != nil || real(mine) != real(theirs)
	}
	return nil
}

// branch reads the state of the branch with which the worktree was created.
func (t *Tree) branch(ctx context.Context, s *State) error {
	tip, err := line(ctx, t.Repository, "rev-parse", "--verify", "--quiet", "refs/heads/"+t.Branch+"^{commit}")
	if exitCode(err) > 0 {
		s.BranchGone = true
		return nil
	}
	if err != nil {
		return err
	}
	s.BranchTip = tip
	not := t.base(ctx)
	if s.Unmerged, err = count(ctx, t.Repository, append([]string{tip, "--not"}, not...)...); err != nil {
		return err
	}
	s.Unpushed, err = count(ctx, t.Repository, append([]string{tip, "--not", "--remotes"}, not...)...)
	return err
}

// base returns the commits on which the worktree is based, in their present state.
func (t *Tree) base(ctx context.Context) []string {
	var out []string
	for _, ref := range []string{t.BaseCommit, "refs/heads/" + t.BaseBranch} {
		if ref == "refs/heads/" {
			continue
		}
		if id, err := line(ctx, t.Repository, "rev-parse", "--verify", "--quiet", ref+"^{commit}"); err == nil {
			out = append(out, id)
		}
	}
	return out
}

func count(ctx context.Context, dir string, args ...string) (int, error) {
	out, err := line(ctx, dir, append([]string{"rev-list", "--count"}, args...)...)
	if err != nil {
		return 0, git.Explain(err, "count commits")
	}
	n, err := strconv.Atoi(out)
	if err != nil {
		return 0, fmt.Errorf("git rev-list --count answered %q", out)
	}
	return n, nil
}

// inside reads the state of the worktree's files and HEAD.
func (t *Tree) inside(ctx context.Context, s *State, note func(...string)) error {
	out, whole, err := run(ctx, t.Path, "status", "--porcelain", "-z", "--untracked-files=all", "--ignored=matching", "--ignore-submodules=dirty", "--no-renames")
	if err != nil {
		return git.Explain(err, "look for changes")
	}
	for _, e := range statusEntries(out) {
		code, name := e[0], e[1]
		switch code {
		case "??":
			s.Untracked.add(name)
		case "!!":
			s.Ignored.add(name)
		default:
			s.Changed.add(name)
		}
		// Include size and time, because a changed file may change again.
		size, at := int64(0), int64(0)
		if info, err := os.Lstat(filepath.Join(t.Path, filepath.FromSlash(name))); err == nil {
			size, at = info.Size(), info.ModTime().UnixNano()
		}
		if code != "!!" {
			note(code, name, strconv.FormatInt(size, 10), strconv.FormatInt(at, 10))
		} else {
			note(code, name)
		}
	}
	if !whole {
		s.Untracked.add("…")
	}
	if out, _, err = run(ctx, t.Path, "ls-files", "-v", "-z"); err != nil {
		return git.Explain(err, "list the files")
	}
	for _, f := range strings.Split(out, "\x00") {
		if len(f) < 3 || f[0] == 'H' || f[0] != 'S' && f[0] < 'a' {
			continue
		}
		if _, err := os.Lstat(filepath.Join(t.Path, filepath.FromSlash(f[2:]))); err == nil {
			s.Hidden.add(f[2:])
			note("hidden", f)
		}
	}
	if err := submodules(ctx, t.Path, "", s, note); err != nil {
		return err
	}
	if s.Branch, err = line(ctx, t.Path, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil && exitCode(err) < 0 {
		return err
	}
	if s.Head, err = line(ctx, t.Path, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil && exitCode(err) < 0 {
		return err
	}
	if s.Head != "" {
		// The worktree's own HEAD doesn't count.
		if s.Loose, err = count(ctx, t.Path, s.Head, "--not", "--branches", "--tags", "--remotes", t.BaseCommit); err != nil {
			return err
		}
	}
	s.Busy, err = t.busy(ctx)
	note(s.Branch, s.Head, s.Busy, strings.Join(s.Submodules, "\x00"), strconv.Itoa(s.Loose))
	return err
}

// submodules reads the state of the submodules that are checked out below dir, recursively. prefix is dir relative to
// the worktree. Git itself would read them with their own configuration; here each gets a separate call.
func submodules(ctx context.Context, dir, prefix string, s *State, note func(...string)) error {
	out, _, err := run(ctx, dir, "ls-files", "--stage", "-z")
	if err != nil {
		return git.Explain(err, "list the submodules")
	}
	for _, f := range strings.Split(out, "\x00") {
		about, name, ok := strings.Cut(f, "\t")
		if !ok || !strings.HasPrefix(about, "160000 ") {
			continue
		}
		sub := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Lstat(filepath.Join(sub, ".git")); err != nil {
			continue
		}
		s.Submodules = append(s.Submodules, prefix+name)
		out, _, err := run(ctx, sub, "status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames")
		if err != nil {
			return git.Explain(err, "look for changes in {{folder}}", prefix+name)
		}
		note("submodule", prefix+name, out)
		if out != "" {
			s.Changed.add(prefix + name)
		}
		if err := submodules(ctx, sub, prefix+name+"/", s, note); err != nil {
			return err
		}
	}
	return nil
}

// busy returns the operation that is in progress, or "".
func (t *Tree) busy(ctx context.Context) (string, error) {
	dir, err := line(ctx, t.Path, "rev-parse", "--path-format=absolute", "--git-dir")
	if err != nil {
		return "", git.Explain(err, "read the worktree")
	}
	for _, m := range [][2]string{
		{"rebase-merge", "rebase"},
		{"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
		{"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(dir, m[0])); err == nil {
			return cmp.Or(m[1], m[0]), nil
		}
	}
	return "", nil
}
