package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/git"
	"weft/backend/git/repo"
)

// Repository is a repository from which a worktree can be created.
type Repository struct {
	Top        string // root of the working tree
	Prefix     string // the requested folder, relative to Top; "" for the root
	Branch     string // "" if HEAD is detached
	Commit     string // full object name of HEAD
	Subject    string // its first line
	Changed    int    // number of uncommitted and untracked files, which a worktree won't have
	Submodules bool   // it has submodules, whose folders are empty in a worktree
	Name       string // the repository's name for the user
	// Commands are what its own configuration would make git run, and Token identifies them; see [git.Commands]. None
	// of them is run.
	Commands []repo.Command
	Token    string
}

// Look returns the repository of a folder. Errors: *Error with CodeNoGit, CodeNoRepository, CodeBare, CodeNoCommits,
// CodeNotTrusted, CodeUnclear, CodeElsewhere or CodeTimeout.
func Look(ctx context.Context, folder string) (*Repository, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	if err := here(folder); err != nil {
		return nil, err
	}
	inside, err := line(ctx, folder, "rev-parse", "--is-inside-work-tree")
	var failed *git.Error
	switch {
	case errors.As(err, &failed) && strings.Contains(failed.Stderr, "dubious ownership"):
		return nil, fault.New(CodeNotTrusted, "Git doesn't trust this repository, because it belongs to another user. To trust it, run git config --global --add safe.directory.").Because(err)
	case exitCode(err) > 0:
		return nil, fault.New(CodeNoRepository, "This folder isn't in a git repository.").Because(err)
	case err != nil:
		return nil, err
	case inside != "true":
		return nil, fault.New(CodeBare, "This repository has no working tree. Choose a folder with a checkout of it.")
	}
	r := &Repository{}
	if r.Top, err = line(ctx, folder, "rev-parse", "--show-toplevel"); err != nil {
		return nil, git.Explain(err, "read the repository")
	}
	if r.Commands, r.Token, err = git.Commands(folder); err != nil {
		return nil, git.Sentence(err)
	}
	if r.Prefix, err = line(ctx, folder, "rev-parse", "--show-prefix"); err != nil {
		return nil, git.Explain(err, "read the repository")
	}
	r.Prefix = strings.TrimSuffix(r.Prefix, "/")
	r.Name = filepath.Base(r.Top)
	if r.Commit, err = line(ctx, folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		if exitCode(err) > 0 {
			return nil, fault.New(CodeNoCommits, "This repository has no commits yet. Make a commit, so that a worktree has something to start from.").Because(err)
		}
		return nil, err
	}
	if r.Branch, err = line(ctx, folder, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil && exitCode(err) < 0 {
		return nil, err
	}
	if r.Subject, err = line(ctx, folder, "log", "-1", "--no-show-signature", "--format=%s", r.Commit); err != nil {
		return nil, git.Explain(err, "read the last commit")
	}
	out, _, err := run(ctx, r.Top, "status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=dirty")
	if err != nil {
		return nil, git.Explain(err, "look for changes")
	}
	r.Changed = len(statusEntries(out))
	_, err = os.Lstat(filepath.Join(r.Top, ".gitmodules"))
	r.Submodules = err == nil
	return r, nil
}

// here returns an error if the repository's configuration sets a working tree other than the folder that contains it.
func here(folder string) error {
	found, err := repo.Find(folder)
	if err != nil || found == nil || found.Bare() {
		return nil //nolint:nilerr // git is asked, and says so
	}
	if away, err := found.Elsewhere(); err == nil && away {
		return fault.New(CodeElsewhere, "This repository's configuration names another folder as its working tree (core.worktree). Open that folder instead.")
	}
	return nil
}

// statusEntries splits the output of git status --porcelain -z into pairs of code and path.
func statusEntries(out string) (list [][2]string) {
	fields := strings.Split(out, "\x00")
	for i := 0; i < len(fields); i++ {
		f := fields[i]
		if len(f) < 4 {
			continue
		}
		list = append(list, [2]string{f[:2], f[3:]})
		if f[0] == 'R' || f[0] == 'C' {
			i++ // skip the original path
		}
	}
	return list
}

// Branches returns nil if name can be a new branch of the repository. Errors: CodeInvalidBranch, CodeBranchExists.
func (r *Repository) Branches(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	bad := fault.New(CodeInvalidBranch, "{{name}} isn't a valid branch name. Use letters, digits, - and /.", strconv.Quote(name))
	if name == "" || len(name) > 200 || strings.HasPrefix(name, "-") || name == "HEAD" || name == "@" || strings.ContainsRune(name, 0) {
		return bad
	}
	if _, err := line(ctx, r.Top, "check-ref-format", "refs/heads/"+name); err != nil {
		if exitCode(err) > 0 {
			return bad
		}
		return err
	}
	_, err := line(ctx, r.Top, "show-ref", "--verify", "--quiet", "refs/heads/"+name)
	switch {
	case err == nil:
		return fault.New(CodeBranchExists, "The branch {{name}} already exists. Choose another name.", name)
	case exitCode(err) > 0:
		return nil
	}
	return err
}

// maxSlug limits the length of a proposed name, in bytes.
const maxSlug = 40

// Slug converts a text into a part of a branch or folder name. It returns "" if no usable characters are left.
func Slug(text string) string {
	var b strings.Builder
	gap := false
	for _, c := range strings.ToLower(text) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(c)
			if b.Len() >= maxSlug {
				break
			}
			continue
		}
		gap = true
	}
	return b.String()
}

// Propose returns an unused name for a new branch, derived from a title.
func (r *Repository) Propose(ctx context.Context, title string) (string, error) {
	base := Slug(title)
	if base == "" {
		base = "work"
	}
	base = "weft/" + base
	name := base
	for n := 2; n < 1000; n++ {
		err := r.Branches(ctx, name)
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeBranchExists {
			return name, err
		}
		name = base + "-" + strconv.Itoa(n)
	}
	return name, nil
}
