package review

import (
	"context"
	"errors"
	"io/fs"

	"weft/backend/review/snapshots"
	"weft/backend/store/reviews"
)

// batch is the files that one decision puts back.
type batch struct {
	space    string
	what     string // as of [reviews.Turn]
	promptID string // of an undo
	steps    []step
}

// step is one file that is about to be put back.
type step struct {
	id       int64
	path     string
	made     string
	from, to snapshots.State
	was      *row // what needed review of it
	plan     *row // and what then
	note     string
}

// carryOut does what was planned: it is noted, done on disk, and noted as done. So whenever it is cut
// off, the next start can tell for each file how far it came. The files are locked.
func (r *recorder) carryOut(ctx context.Context, p *place, b batch, out *Outcome) error {
	if len(b.steps) == 0 {
		r.onChange(b.space)
		return nil
	}
	unlock, err := r.noting.lock(ctx, b.space)
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
	rows := make([]prepared, len(b.steps))
	for i, s := range b.steps {
		if s.from.Kind == snapshots.Absent {
			// What is made for it goes with it when this is taken back.
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
	failed := map[string]bool{}
	for _, s := range b.steps {
		if err := p.swap(ctx, root, s.path, s.from, s.to, s.made); err != nil {
			failed[s.path] = true
			out.Left = append(out.Left, Left{s.id, s.path, said(s.path, err)})
			continue
		}
		out.Done++
		if s.note != "" {
			out.Left = append(out.Left, Left{s.id, s.path, s.note})
		}
	}
	removeEmpty(root, b.steps)
	err = r.store.Change(ctx, b.space, func(tx *reviews.Tx) error {
		for i, s := range b.steps {
			if err := settle(tx, turn, &rows[i], !failed[s.path]); err != nil {
				return err
			}
		}
		return nil
	})
	if out.Done > 0 {
		out.Turn = turn
	}
	r.onChange(b.space)
	return err
}

// settle notes that a step was done, or that it was not.
func settle(tx *reviews.Tx, turn int64, w *prepared, done bool) error {
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

// said makes a sentence about a file of an error.
func said(path string, err error) string {
	var own *Error
	switch {
	case errors.As(err, &own):
		return own.Message
	case errors.Is(err, errMoved):
		return moved(path)
	case errors.Is(err, fs.ErrPermission):
		return sentence("{{path}} wasn't changed: permission denied.", path)
	}
	return sentence("{{path}} wasn't changed: {{reason}}.", path, err)
}
