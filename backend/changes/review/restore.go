package review

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"weft/backend/changes/review/snapshots"
	"weft/backend/store/reviews"
)

// batch is the files that one decision restores.
type batch struct {
	space    string
	what     string // see [reviews.Turn].What
	promptID string // for an undo
	steps    []step
}

// step is the restoration of one file.
type step struct {
	id       int64
	path     string
	made     string
	from, to snapshots.State
	was      *row // review state before
	plan     *row // review state after
	note     string
	silent   bool // not counted: a folder that is removed with its files
}

// order returns the phase of a step: files are removed before their folder, and a folder is created before its files.
func (s *step) order() int {
	folder := snapshots.FolderPath(s.path)
	switch {
	case s.to.Kind == snapshots.Absent && !folder:
		return 0
	case s.to.Kind == snapshots.Absent:
		return 1
	case folder:
		return 2
	}
	return 3
}

// inOrder sorts steps into the order in which they are carried out.
func inOrder(steps []step) {
	slices.SortStableFunc(steps, func(a, b step) int {
		by := strings.Compare(a.path, b.path)
		if a.order() == 1 {
			by = -by // inner folders first
		}
		return cmp.Or(cmp.Compare(a.order(), b.order()), by)
	})
}

// execute executes a plan: it stores the plan, changes the disk, and stores the result. If it is interrupted at any
// point, [Reviews.Recover] can tell for each file whether it was done. The files are locked.
func (r *recorder) execute(ctx context.Context, p *trackedFolder, b batch, out *Outcome) error {
	if len(b.steps) == 0 {
		r.onChange(b.space)
		return nil
	}
	unlock, err := r.updates.lock(ctx, b.space)
	if err != nil {
		return err
	}
	defer unlock()
	ctx = context.WithoutCancel(ctx)
	root, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	inOrder(b.steps)
	folders := map[string]bool{}
	for _, s := range b.steps {
		folders[s.path] = snapshots.FolderPath(s.path)
	}
	rows := make([]prepared, len(b.steps))
	for i, s := range b.steps {
		if folders[s.made+"/"] {
			b.steps[i].made = "" // another step restores the folder itself
		}
		if s.from.Kind == snapshots.Absent && !snapshots.FolderPath(s.path) {
			// Folders that are created for the file are removed when this is undone.
			b.steps[i].made = snapshots.Missing(root, s.path)
		}
		rows[i] = r.prepare(ctx, s.path, s.plan)
	}
	var turn int64
	err = r.store.Change(ctx, b.space, func(tx *reviews.Tx) (err error) {
		if turn, err = tx.AddTurn(reviews.Turn{What: b.what, PromptID: b.promptID, StartedAt: r.at(), EndedAt: r.at()}); err != nil {
			return err
		}
		for _, s := range b.steps {
			if err := tx.PutTouch(reviews.Touch{TurnID: turn, Path: s.path, Made: s.made, Before: encode(s.from), After: encode(s.to), Was: encode(s.was), Plan: encode(s.plan)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	failed, done := map[string]bool{}, false
	for _, s := range b.steps {
		if err := p.swap(ctx, root, s.path, s.from, s.to, s.made); err != nil {
			failed[s.path] = true
			if !snapshots.FolderPath(s.path) {
				out.Left = append(out.Left, Left{s.id, s.path, failureMessage(s.path, err)})
			}
			continue
		}
		if done = true; !s.silent {
			out.Done++
		}
		if s.note != "" {
			out.Left = append(out.Left, Left{s.id, s.path, s.note})
		}
	}
	removeEmpty(root, b.steps)
	err = r.store.Change(ctx, b.space, func(tx *reviews.Tx) error {
		for i, s := range b.steps {
			if err := finishStep(tx, turn, &rows[i], !failed[s.path]); err != nil {
				return err
			}
		}
		if b.what == "reject" {
			return tx.DropFolders()
		}
		return nil
	})
	if done {
		out.Turn = turn
	}
	r.onChange(b.space)
	return err
}

// finishStep records whether a step was done.
func finishStep(tx *reviews.Tx, turn int64, w *prepared, done bool) error {
	if !done {
		return tx.DropTouch(turn, w.file.Path)
	}
	t, ok, err := tx.Touch(turn, w.file.Path)
	if err != nil || !ok {
		return err
	}
	if err := w.put(tx); err != nil {
		return err
	}
	t.Plan = nil
	return tx.PutTouch(t)
}

// failureMessage returns a sentence about a file for an error.
func failureMessage(path string, err error) string {
	var own *Error
	switch {
	case errors.As(err, &own):
		return own.Message
	case errors.Is(err, errChanged):
		return changedMessage(path)
	case errors.Is(err, fs.ErrPermission):
		return sentence("{{path}} wasn't changed: permission denied.", path)
	}
	return sentence("{{path}} wasn't changed: {{reason}}.", path, err)
}
