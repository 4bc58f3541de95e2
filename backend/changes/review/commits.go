package review

import (
	"context"
	"errors"
	"os"
	"unicode/utf8"

	"weft/backend/changes/commit"
	"weft/backend/changes/review/hunk"
	"weft/backend/changes/review/snapshots"
	"weft/backend/store/reviews"
)

// Commits commits changes that the user has accepted (decision 0040).
type Commits struct {
	store    *reviews.Reviews
	contents *contents
	folders  *folders
}

// Plan returns the accepted changes of a space that could be committed. It changes nothing and blocks on git. Errors:
// those of [commit.Look].
func (c *Commits) Plan(ctx context.Context, spaceID string) (plan commit.Plan, err error) {
	err = c.with(ctx, spaceID, func(folder string, from commit.Source) (err error) {
		plan, err = commit.Look(ctx, folder, from)
		return err
	})
	return plan, err
}

// Make commits the accepted changes of the chosen files. It blocks for git. Errors: those of [commit.Make].
func (c *Commits) Make(ctx context.Context, spaceID string, chosen []commit.Choice, message string, by commit.Identity) (made commit.Made, err error) {
	err = c.with(ctx, spaceID, func(folder string, from commit.Source) (err error) {
		made, err = commit.Make(ctx, folder, from, chosen, message, by)
		return err
	})
	return made, err
}

// Push pushes the branch that is checked out in the folder of a space. It blocks on git. Errors: those of
// [commit.Push].
func (c *Commits) Push(ctx context.Context, spaceID string) (remote commit.Remote, err error) {
	err = c.with(ctx, spaceID, func(folder string, _ commit.Source) (err error) {
		remote, err = commit.Push(ctx, folder)
		return err
	})
	return remote, err
}

// Accepted returns the files with accepted changes that aren't committed yet. It blocks on git. Errors: those of
// [commit.Accepted].
func (c *Commits) Accepted(ctx context.Context, spaceID string) (files []commit.File, err error) {
	err = c.with(ctx, spaceID, func(folder string, from commit.Source) (err error) {
		files, err = commit.Accepted(ctx, folder, from)
		return err
	})
	return files, err
}

// Diff returns the accepted changes of a file that aren't committed yet. It blocks on git. Errors: those of
// [commit.Show].
func (c *Commits) Diff(ctx context.Context, spaceID, path string) (Diff, error) {
	var file commit.File
	var old, now commit.Version
	err := c.with(ctx, spaceID, func(folder string, from commit.Source) (err error) {
		file, old, now, err = commit.Show(ctx, folder, from, path)
		return err
	})
	if err != nil {
		return Diff{}, err
	}
	out := Diff{Hunks: []Hunk{}, File: File{Path: path, What: file.What, Added: file.Added, Removed: file.Removed, Size: int64(len(now.Bytes))}}
	out.Stuck = file.Problem
	switch {
	case file.Problem != "":
		return out, nil
	case old.Kind == commit.Symlink || now.Kind == commit.Symlink:
		out.Reason = "link"
		return out, nil
	case old.Kind != commit.Absent && !old.Text || now.Kind != commit.Absent && !now.Text:
		out.Reason = "binary"
		return out, nil
	}
	change := hunk.Compare(old.Bytes, now.Bytes)
	out.Shown, out.Text, out.Odd = true, string(now.Bytes), !utf8.Valid(now.Bytes) || !utf8.Valid(old.Bytes)
	for _, h := range change.Hunks {
		out.Hunks = append(out.Hunks, Hunk{OldStart: h.OldStart + 1, NewStart: h.NewStart + 1, NewLines: h.NewEnd - h.NewStart, Old: joined(change.Base[h.OldStart:h.OldEnd])})
	}
	return out, nil
}

// with calls do with the folder and the accepted changes of a space.
func (c *Commits) with(ctx context.Context, spaceID string, do func(folder string, from commit.Source) error) error {
	p, root, err := c.folders.enter(ctx, spaceID)
	if err != nil {
		return err
	}
	defer root.Close()
	from := &acceptedFiles{contents: c.contents, tracked: p, root: root, changes: map[string][]reviews.Accepted{}, waiting: map[string]snapshots.State{}}
	err = c.store.View(ctx, spaceID, func(tx *reviews.Tx) error {
		list, err := tx.Accepted()
		if err != nil {
			return err
		}
		for _, one := range list {
			if len(from.changes[one.Path]) == 0 {
				from.paths = append(from.paths, one.Path)
			}
			from.changes[one.Path] = append(from.changes[one.Path], one)
		}
		files, err := tx.Files()
		for _, f := range files {
			from.waiting[f.Path] = stateOf(f.Base)
		}
		return err
	})
	if err != nil {
		return err
	}
	return do(p.folder.Dir(), from)
}

// acceptedFiles is the [commit.Source] with the accepted changes of a space.
type acceptedFiles struct {
	contents *contents
	tracked  *trackedFolder
	root     *os.Root
	paths    []string
	changes  map[string][]reviews.Accepted
	waiting  map[string]snapshots.State // content of files before the changes that need review
}

// Paths implements [commit.Source].
func (a *acceptedFiles) Paths() []string { return a.paths }

// Text implements [commit.Source].
func (a *acceptedFiles) Text(b []byte) bool { return snapshots.IsText(b) }

// History implements [commit.Source].
func (a *acceptedFiles) History(ctx context.Context, path string) (h commit.History, err error) {
	for _, one := range a.changes[path] {
		var c commit.Change
		if c.Before, err = a.version(ctx, stateOf(one.Before)); err != nil {
			return h, err
		}
		if c.After, err = a.version(ctx, stateOf(one.After)); err != nil {
			return h, err
		}
		h.Changes = append(h.Changes, c)
	}
	now, waits := a.waiting[path]
	if !waits {
		if now, err = a.tracked.present(a.root, path); err != nil {
			return h, errors.New(failureMessage(path, err))
		}
	}
	h.Present, err = a.version(ctx, now)
	return h, err
}

func (a *acceptedFiles) version(ctx context.Context, s snapshots.State) (commit.Version, error) {
	v := commit.Version{Text: s.Text || s.Kind == snapshots.File && s.Size == 0}
	switch s.Kind {
	case snapshots.Absent:
		return commit.Version{}, nil
	case snapshots.File:
		v.Kind, v.Executable = commit.Regular, s.FileMode()&0o111 != 0
	case snapshots.Link:
		v.Kind = commit.Symlink
	default:
		return v, errors.New("This is no longer a file.") //nolint:staticcheck,revive // a sentence for the user
	}
	var ok bool
	if v.Bytes, ok = a.contents.bytes(ctx, s); !ok && s.Size > 0 {
		return v, errors.New(notKept(s))
	}
	return v, nil
}

// TurnChanges summarizes the file changes of a run.
type TurnChanges struct {
	PromptID string // for [Reviews.Undo]
	Files    int
	Added    int // lines
	Removed  int
}

// maxCompared limits how many files of a turn are compared to count lines.
const maxCompared = 500

// TurnChanges returns what a run changed in the folder of a space, or zero if that isn't known. It blocks while it
// compares files.
func (r *Reviews) TurnChanges(ctx context.Context, spaceID, runID string) (out TurnChanges, err error) {
	var touches []reviews.Touch
	err = r.store.View(ctx, spaceID, func(tx *reviews.Tx) error {
		turn, ok, err := tx.RunTurn(runID)
		if err != nil || !ok {
			return err
		}
		out.PromptID = turn.PromptID
		touches, err = tx.TouchesOf(turn.ID)
		return err
	})
	if err != nil {
		return out, err
	}
	for _, t := range touches {
		before, after := stateOf(t.Before), stateOf(t.After)
		if before.Same(after) || snapshots.FolderPath(t.Path) {
			continue
		}
		out.Files++
		if out.Files > maxCompared {
			continue
		}
		if a, b, ok := r.contents.texts(ctx, before, after); ok {
			added, removed := hunk.Counts(hunk.Diff(hunk.Lines(a), hunk.Lines(b)))
			out.Added, out.Removed = out.Added+added, out.Removed+removed
		}
	}
	return out, nil
}
