package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"weft/backend/review/hunk"
	"weft/backend/review/snapshots"
	"weft/backend/store/reviews"
)

// Pick names what is decided: a file as it was shown, and which of its hunks. No hunks is the whole file.
type Pick struct {
	ID      int64  `json:"id"`
	Version string `json:"version"` // "": whatever it holds
	Hunks   []int  `json:"hunks,omitzero"`
}

// Left is a file that was left alone, or hunks of it, and why.
type Left struct {
	ID      int64  `json:"id"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Outcome is what became of a decision.
type Outcome struct {
	Done int    `json:"done"` // files
	Left []Left `json:"left"`
	// Turn names what was done on disk, for [Room.Redo]; 0 if nothing was.
	Turn int64 `json:"turn"`
}

// picked is a file to be decided.
type picked struct {
	reviews.File
	base, agent snapshots.State
	hunks       []int
}

// pick reads the files that are decided; an empty list is all of them.
func (r *Room) pick(ctx context.Context, spaceID string, picks []Pick, out *Outcome) (list []picked, err error) {
	err = r.opt.Store.Reviews.View(ctx, spaceID, func(tx *reviews.Tx) error {
		files, err := tx.Files()
		if err != nil {
			return err
		}
		for _, f := range files {
			one := picked{File: f, base: stateOf(f.Base), agent: stateOf(f.Agent)}
			at := slices.IndexFunc(picks, func(p Pick) bool { return p.ID == f.ID })
			switch {
			case len(picks) == 0:
			case at < 0:
				continue
			case picks[at].Version != "" && picks[at].Version != version(one.base, one.agent):
				out.Left = append(out.Left, Left{f.ID, f.Path, moved(f.Path)})
				continue
			default:
				one.hunks = picks[at].Hunks
			}
			list = append(list, one)
		}
		return nil
	})
	return list, err
}

// Accept keeps what the agent did: the baseline moves, nothing on disk changes.
func (r *Room) Accept(ctx context.Context, spaceID string, picks []Pick) (Outcome, error) {
	out := Outcome{Left: []Left{}}
	unlock, err := r.noting.lock(ctx, spaceID)
	if err != nil {
		return out, err
	}
	defer unlock()
	list, err := r.pick(ctx, spaceID, picks, &out)
	if err != nil {
		return out, err
	}
	var rows []prepared
	for _, f := range list {
		if f.hunks == nil {
			rows = append(rows, r.prepare(ctx, f.Path, nil))
			continue
		}
		base, agent, ok := r.texts(ctx, f.base, f.agent)
		if !ok {
			out.Left = append(out.Left, Left{f.ID, f.Path, f.Path + " can only be accepted as a whole."})
			continue
		}
		change := hunk.Compare(base, agent)
		if all(f.hunks, len(change.Hunks)) {
			rows = append(rows, r.prepare(ctx, f.Path, nil))
			continue
		}
		state, err := r.put(change.Accept(func(i int) bool { return slices.Contains(f.hunks, i) }))
		if err != nil {
			return out, err
		}
		if state.Mode = f.base.Mode; f.base.Kind == snapshots.Absent {
			state.Mode = f.agent.Mode
		}
		rows = append(rows, r.prepare(ctx, f.Path, &row{Base: state, Agent: f.agent, Made: f.Made}))
	}
	err = r.opt.Store.Reviews.Change(ctx, spaceID, func(tx *reviews.Tx) error {
		for i := range rows {
			if err := rows[i].put(tx); err != nil {
				return err
			}
		}
		return nil
	})
	out.Done = len(rows)
	r.opt.OnChange(spaceID)
	return out, err
}

func all(hunks []int, n int) bool {
	for i := range n {
		if !slices.Contains(hunks, i) {
			return false
		}
	}
	return true
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

// Reject puts back what was there before the agent's changes. What someone has edited since is left
// alone, and told.
func (r *Room) Reject(ctx context.Context, spaceID string, picks []Pick) (Outcome, error) {
	out := Outcome{Left: []Left{}}
	p, err := r.place(ctx, spaceID)
	if err != nil {
		return out, err
	}
	unlock, err := p.files.lock(ctx, every)
	if err != nil {
		return out, err
	}
	defer unlock()
	list, err := r.pick(ctx, spaceID, picks, &out)
	if err != nil {
		return out, err
	}
	root, err := p.open()
	if err != nil {
		return out, err
	}
	defer root.Close()
	var steps []step
	for _, f := range list {
		now, err := p.present(root, f.Path)
		if err != nil {
			out.Left = append(out.Left, Left{f.ID, f.Path, said(f.Path, err)})
			continue
		}
		s, err := r.rejection(ctx, &f, now)
		if err != nil {
			out.Left = append(out.Left, Left{f.ID, f.Path, said(f.Path, err)})
			continue
		}
		steps = append(steps, s)
	}
	return out, r.carryOut(ctx, p, spaceID, "reject", "", steps, &out)
}

// rejection plans how a file is put back. Its error is a sentence about why it cannot be.
func (r *Room) rejection(ctx context.Context, f *picked, now snapshots.State) (step, error) {
	s := step{id: f.ID, path: f.Path, made: f.Made, from: now, was: &row{f.base, f.agent, f.Made}}
	if stuck := r.view(ctx, f.File).Stuck; stuck != "" {
		return s, &Error{Code: "not_kept", Message: stuck}
	}
	if f.hunks == nil && now.Same(f.agent) {
		s.to = f.base
		return s, nil
	}
	base, agent, ok := r.texts(ctx, f.base, f.agent)
	present, _, fine := r.texts(ctx, now, now)
	if !ok || !fine || now.Kind != snapshots.File || f.agent.Kind != snapshots.File {
		if f.hunks != nil && now.Same(f.agent) && len(f.hunks) > 0 {
			s.to = f.base // the one hunk of a deleted file
			return s, nil
		}
		return s, &Error{Code: "conflict", Message: fmt.Sprintf("%s was changed after the agent's edit, so Weft left it as it is.", f.Path)}
	}
	change := hunk.Compare(base, agent)
	wanted := func(i int) bool { return f.hunks == nil || slices.Contains(f.hunks, i) }
	text, left := change.In(present).Reject(wanted)
	done := func(i int) bool { return wanted(i) && !slices.Contains(left, i) }
	none := !slices.ContainsFunc(indices(len(change.Hunks)), done)
	if none && (len(change.Hunks) > 0 || now.Mode != f.agent.Mode) {
		return s, &Error{Code: "conflict", Message: fmt.Sprintf("You edited the agent's changes in %s, so they weren't changed.", f.Path)}
	}
	if len(left) > 0 {
		s.note = fmt.Sprintf("You edited some of the agent's changes in %s. Those weren't changed.", f.Path)
	}
	var err error
	if s.to, err = r.put(text); err != nil {
		return s, err
	}
	rest, err := r.put(change.Reject(done))
	if err != nil {
		return s, err
	}
	// With the last of its hunks, its mode bits come back too, and a file that was added goes.
	whole := all(slices.DeleteFunc(indices(len(change.Hunks)), func(i int) bool { return !done(i) }), len(change.Hunks))
	s.to.Mode, rest.Mode = now.Mode, f.agent.Mode
	if whole && f.base.Kind == snapshots.File {
		rest.Mode = f.base.Mode
		if now.Mode == f.agent.Mode {
			s.to.Mode = f.base.Mode
		}
	}
	if whole && f.base.Kind == snapshots.Absent {
		rest = f.base
		if now.Same(f.agent) {
			s.to = f.base
		}
	}
	if !rest.Same(f.base) {
		s.plan = &row{Base: f.base, Agent: rest, Made: f.Made}
	}
	return s, nil
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// carryOut does what was planned: it is noted, done on disk, and noted as done. So whenever it is cut
// off, the next start can tell for each file how far it came. The files are locked.
func (r *Room) carryOut(ctx context.Context, p *place, spaceID, what, promptID string, steps []step, out *Outcome) error {
	if len(steps) == 0 {
		r.opt.OnChange(spaceID)
		return nil
	}
	unlock, err := r.noting.lock(ctx, spaceID)
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
	rows := make([]prepared, len(steps))
	for i, s := range steps {
		if s.from.Kind == snapshots.Absent {
			// What is made for it goes with it when this is taken back.
			steps[i].made = snapshots.Missing(root, s.path)
		}
		rows[i] = r.prepare(ctx, s.path, s.plan)
	}
	var turn int64
	err = r.opt.Store.Reviews.Change(ctx, spaceID, func(tx *reviews.Tx) (err error) {
		if turn, err = tx.AddTurn(reviews.Turn{What: what, PromptID: promptID, StartedAt: r.now(), EndedAt: r.now()}); err != nil {
			return err
		}
		for _, s := range steps {
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
	for _, s := range steps {
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
	removeEmpty(root, steps)
	err = r.opt.Store.Reviews.Change(ctx, spaceID, func(tx *reviews.Tx) error {
		for i, s := range steps {
			if err := settle(tx, turn, &rows[i], !failed[s.path]); err != nil {
				return err
			}
		}
		return nil
	})
	if out.Done > 0 {
		out.Turn = turn
	}
	r.opt.OnChange(spaceID)
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
		return fmt.Sprintf("%s wasn't changed: permission denied.", path)
	}
	return fmt.Sprintf("%s wasn't changed: %v.", path, err)
}
