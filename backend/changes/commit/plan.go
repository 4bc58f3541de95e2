package commit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"weft/backend/base/fault"
)

// History is the accepted changes of a file.
type History struct {
	Changes []Change // in the order in which they were accepted
	Present Version  // content of the file without the changes that still need review
}

// Source provides the files with accepted changes.
type Source interface {
	// Paths returns the files, relative to the folder, with slashes.
	Paths() []string
	// History returns the accepted changes of a file. Its error is a sentence that says why they aren't known.
	History(ctx context.Context, path string) (History, error)
	// Text reports whether bytes are shown, and accepted, line by line.
	Text([]byte) bool
}

// File is a file that can be committed, or why it can't.
type File struct {
	Path    string `json:"path"` // relative to the folder
	What    string `json:"what" enum:"added,edited,deleted,mode"`
	Added   int    `json:"added"` // lines
	Removed int    `json:"removed"`
	Version string `json:"version"` // identifies what would be committed, for Choice
	Problem string `json:"problem"` // a sentence that says why it can't be committed, or ""
}

// Plan is what could be committed.
type Plan struct {
	Branch string `json:"branch"` // "" if no branch is checked out
	Files  []File `json:"files"`
	// Hooks are the hooks that git would run for a commit. Weft doesn't run them.
	Hooks []string `json:"hooks"`
	// Unsigned reports that the user's configuration asks for signed commits. Weft doesn't sign them.
	Unsigned bool `json:"unsigned"`
	// Nameless reports that git doesn't know the author.
	Nameless bool    `json:"nameless"`
	Remote   *Remote `json:"remote"` // where the branch can be pushed to, or null
}

// made is a file with its committed content.
type made struct {
	File
	name     string // relative to the top of the repository
	old, new Version
	was      entry // in the last commit
}

// Look returns the accepted changes in a folder that could be committed. It changes nothing and blocks on git. Errors:
// no_repository and similar, and busy during a merge.
func Look(ctx context.Context, folder string, from Source) (Plan, error) {
	r, err := open(ctx, folder)
	if err != nil {
		return Plan{}, err
	}
	list, err := r.plan(ctx, folder, from)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Branch: r.branch, Hooks: []string{}, Unsigned: r.setting(ctx, "commit.gpgSign"), Remote: r.remote(ctx)}
	_, err = r.line(ctx, r.top, "var", "GIT_COMMITTER_IDENT")
	plan.Nameless = namelessError(err)
	plan.Hooks = append(plan.Hooks, r.hooks(ctx, "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")...)
	plan.Files = filesOf(list)
	return plan, nil
}

// Accepted returns the files of [Look] without the rest of the plan. It runs git only if something was accepted.
func Accepted(ctx context.Context, folder string, from Source) ([]File, error) {
	if len(from.Paths()) == 0 {
		return []File{}, nil
	}
	r, err := open(ctx, folder)
	if err != nil {
		return nil, err
	}
	list, err := r.plan(ctx, folder, from)
	return filesOf(list), err
}

func filesOf(list []made) []File {
	files := make([]File, len(list))
	for i := range list {
		files[i] = list[i].File
	}
	return files
}

// Show returns what would be committed of a file, and its content in the last commit. It changes nothing and blocks on
// git. Errors: not_found if there is nothing to commit, and those of [Look].
func Show(ctx context.Context, folder string, from Source, path string) (file File, old, now Version, err error) {
	r, err := open(ctx, folder)
	if err != nil {
		return file, old, now, err
	}
	list, err := r.plan(ctx, folder, only{from, path})
	if err != nil {
		return file, old, now, err
	}
	for _, f := range list {
		return f.File, f.old, f.new, nil
	}
	return file, old, now, fault.New("not_found", "There is nothing left to commit in this file.")
}

// only is a source that is limited to one file.
type only struct {
	Source
	path string
}

// Paths implements [Source].
func (o only) Paths() []string { return []string{o.path} }

// plan returns the files whose accepted changes aren't committed yet.
func (r *repository) plan(ctx context.Context, folder string, from Source) ([]made, error) {
	paths := from.Paths()
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = r.prefix + path
	}
	committed, err := r.committed(ctx, names)
	if err != nil {
		return nil, err
	}
	_, unmerged, err := r.staged(ctx, names)
	if err != nil {
		return nil, err
	}
	var list []made
	var fresh []string // names of files that aren't in the last commit
	for i, path := range paths {
		f := made{File: File{Path: path}, name: names[i], was: committed[names[i]]}
		if err := r.accepted(ctx, &f, from); err != nil {
			return nil, err
		}
		switch {
		case foreign(folder, path):
			f.Problem = fault.Text("This file is in another repository inside this folder. Open a space there to commit it.")
		case unmerged[f.name]:
			f.Problem = fault.Text("This file has merge conflicts. Resolve them first.")
		case f.Problem == "" && f.new.same(f.old):
			continue // committed or reverted
		}
		if f.Problem == "" && f.old.Kind == Absent {
			fresh = append(fresh, f.name)
		}
		list = append(list, f)
	}
	ignored, err := r.ignored(ctx, fresh)
	for i := range list {
		if f := &list[i]; f.Problem == "" && ignored[f.name] {
			f.Problem = fault.Text("Git ignores this file.")
		}
	}
	return list, err
}

// accepted determines what would be committed of a file.
func (r *repository) accepted(ctx context.Context, f *made, from Source) error {
	history, err := from.History(ctx, f.Path)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		f.Problem = err.Error()
		return nil
	}
	if f.old, err = r.content(ctx, f.was, f.name, from.Text); err != nil {
		if own := fault.Of(err); own != nil && ctx.Err() == nil {
			f.Problem = own.Message
			return nil
		}
		return err
	}
	f.new = f.old
	for _, c := range history.Changes {
		next, ok := f.new.With(c)
		if !ok {
			f.Problem = fault.Text("The last commit has other lines where these changes apply. Commit this file yourself.")
			return nil
		}
		f.new = next
	}
	f.new = f.new.without(f.old, history.Present)
	f.What, f.Version = what(f.old, f.new), version(f.was, f.new)
	f.Added, f.Removed = counts(f.old, f.new)
	return nil
}

func what(old, now Version) string {
	switch {
	case old.Kind == Absent:
		return "added"
	case now.Kind == Absent:
		return "deleted"
	case old.Kind == now.Kind && string(old.Bytes) == string(now.Bytes):
		return "mode"
	}
	return "edited"
}

func version(was entry, now Version) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %t %d ", was.object, now.Kind, now.Executable, len(now.Bytes))
	h.Write(now.Bytes)
	return hex.EncodeToString(h.Sum(nil)[:8])
}
