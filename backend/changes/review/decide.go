package review

import (
	"context"
	"slices"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/changes/review/hunk"
	"weft/backend/changes/review/snapshots"
	"weft/backend/store/reviews"
)

// Pick selects a file, in the version that was shown, and its hunks. Without hunks, it selects the whole file.
type Pick struct {
	ID      int64  `json:"id"`
	Version string `json:"version"` // "" for any version
	Hunks   []int  `json:"hunks,omitzero"`
}

// Left is a file that wasn't changed, completely or in some of its hunks, and why.
type Left struct {
	ID      int64  `json:"id"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Outcome is the result of a decision.
type Outcome struct {
	Done int    `json:"done"` // files
	Left []Left `json:"left"`
	// Turn identifies the changes on disk for [Reviews.Redo]; 0 if there are none.
	Turn int64 `json:"turn"`
}

// picked is a file that a decision applies to.
type picked struct {
	reviews.File
	base, agent snapshots.State
	hunks       []int
}

// pick reads the files that picks selects, or all files if it is empty.
func (r *Reviews) pick(ctx context.Context, spaceID string, picks []Pick, out *Outcome) (list []picked, err error) {
	err = r.store.View(ctx, spaceID, func(tx *reviews.Tx) error {
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
				out.Left = append(out.Left, Left{f.ID, f.Path, changedMessage(f.Path)})
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

// foldersOf returns the folders that are decided together with the files in whole: the folders above them, or all
// folders if no other files need review.
func (r *Reviews) foldersOf(ctx context.Context, spaceID string, whole []string) (list []picked, err error) {
	err = r.store.View(ctx, spaceID, func(tx *reviews.Tx) error {
		n, err := tx.CountFiles()
		if err != nil {
			return err
		}
		folders, err := tx.Folders()
		for _, f := range folders {
			if n == len(whole) || slices.ContainsFunc(whole, func(path string) bool { return strings.HasPrefix(path, f.Path) }) {
				list = append(list, picked{File: f, base: stateOf(f.Base), agent: stateOf(f.Agent)})
			}
		}
		return err
	})
	return list, err
}

// Accept moves the baseline to what the agent left. Nothing on disk changes.
func (r *Reviews) Accept(ctx context.Context, spaceID string, picks []Pick) (Outcome, error) {
	out := Outcome{Left: []Left{}}
	unlock, err := r.recorder.updates.lock(ctx, spaceID)
	if err != nil {
		return out, err
	}
	defer unlock()
	list, err := r.pick(ctx, spaceID, picks, &out)
	if err != nil {
		return out, err
	}
	var rows []prepared
	var accepted []reviews.Accepted // for a later commit
	var whole []string
	accept := func(f *picked, left *row) {
		after := f.agent
		if left != nil {
			after = left.Base
		} else {
			whole = append(whole, f.Path)
		}
		rows = append(rows, r.recorder.prepare(ctx, f.Path, left))
		if f.base.Kind != snapshots.Unknown {
			accepted = append(accepted, reviews.Accepted{Path: f.Path, Before: encode(f.base), After: encode(after), At: r.recorder.at()})
		}
	}
	for _, f := range list {
		if f.hunks == nil {
			accept(&f, nil)
			continue
		}
		base, agent, ok := r.contents.texts(ctx, f.base, f.agent)
		if !ok {
			out.Left = append(out.Left, Left{f.ID, f.Path, f.Path + " can only be accepted as a whole."})
			continue
		}
		change := hunk.Compare(base, agent)
		if all(f.hunks, len(change.Hunks)) {
			accept(&f, nil)
			continue
		}
		state, err := r.contents.put(change.Accept(func(i int) bool { return slices.Contains(f.hunks, i) }))
		if err != nil {
			return out, err
		}
		if state.Mode = f.base.Mode; f.base.Kind == snapshots.Absent {
			state.Mode = f.agent.Mode
		}
		accept(&f, &row{Base: state, Agent: f.agent, Made: f.Made})
	}
	folders, err := r.foldersOf(ctx, spaceID, whole)
	if err != nil {
		return out, err
	}
	err = r.store.Change(ctx, spaceID, func(tx *reviews.Tx) error {
		for i := range rows {
			if err := rows[i].put(tx); err != nil {
				return err
			}
		}
		for i := range folders {
			if err := tx.DropFile(folders[i].Path); err != nil {
				return err
			}
		}
		for _, a := range accepted {
			if err := tx.AddAccepted(a); err != nil {
				return err
			}
		}
		return nil
	})
	out.Done = len(rows)
	r.recorder.onChange(spaceID)
	return out, err
}

// Reopen takes back what was accepted last in each of the files, so that it needs review again. Nothing on disk
// changes. A file is left if nothing is accepted in it, or if it was edited between that and what needs review now.
func (r *Reviews) Reopen(ctx context.Context, spaceID string, paths []string) (Outcome, error) {
	out := Outcome{Left: []Left{}}
	unlock, err := r.recorder.updates.lock(ctx, spaceID)
	if err != nil {
		return out, err
	}
	defer unlock()
	var rows []row
	var fit []string
	err = r.store.View(ctx, spaceID, func(tx *reviews.Tx) error {
		for _, path := range paths {
			last, ok, err := tx.LastAccepted(path)
			if err != nil {
				return err
			}
			f, err := tx.File(path)
			if err != nil {
				return err
			}
			back, now := row{Base: stateOf(last.Before), Agent: stateOf(last.After)}, fileRow(f)
			switch {
			case !ok:
				out.Left = append(out.Left, Left{Path: path, Message: sentence("Nothing is accepted in {{path}} that isn't committed.", path)})
				continue
			case now != nil && !now.Base.Same(back.Agent):
				out.Left = append(out.Left, Left{Path: path, Message: sentence("{{path}} was edited after it was accepted, and changed again since. Review what is new first.", path)})
				continue
			case now != nil:
				back.Agent, back.Made = now.Agent, now.Made
			}
			rows, fit = append(rows, back), append(fit, path)
		}
		return nil
	})
	if err != nil || len(rows) == 0 {
		return out, err
	}
	again := make([]prepared, len(rows))
	for i, path := range fit {
		again[i] = r.recorder.prepare(ctx, path, &rows[i])
	}
	err = r.store.Change(ctx, spaceID, func(tx *reviews.Tx) error {
		for i := range again {
			if err := again[i].put(tx); err != nil {
				return err
			}
			if err := tx.DropLastAccepted(fit[i]); err != nil {
				return err
			}
		}
		return nil
	})
	out.Done = len(rows)
	r.recorder.onChange(spaceID)
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

// Reject restores what was there before the agent's changes. Parts that someone has edited since aren't changed, and
// are reported in Outcome.Left.
func (r *Reviews) Reject(ctx context.Context, spaceID string, picks []Pick) (Outcome, error) {
	out := Outcome{Left: []Left{}}
	p, err := r.folders.find(ctx, spaceID)
	if err != nil {
		return out, err
	}
	unlock, err := p.files.lock(ctx, allNames)
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
	var whole []string
	for _, f := range list {
		now, err := p.present(root, f.Path)
		if err != nil {
			out.Left = append(out.Left, Left{f.ID, f.Path, failureMessage(f.Path, err)})
			continue
		}
		if now.Kind == snapshots.Other && f.agent.Kind == snapshots.Absent {
			now = f.agent // the agent made a folder here; it is removed first, or the step fails
		}
		s, err := r.contents.planRejection(ctx, &f, now)
		if err != nil {
			out.Left = append(out.Left, Left{f.ID, f.Path, failureMessage(f.Path, err)})
			continue
		}
		if steps = append(steps, s); s.plan == nil {
			whole = append(whole, f.Path)
		}
	}
	folders, err := r.foldersOf(ctx, spaceID, whole)
	if err != nil {
		return out, err
	}
	for _, f := range folders {
		steps = append(steps, step{id: f.ID, path: f.Path, from: f.agent, to: f.base, was: &row{f.base, f.agent, f.Made}, silent: true})
	}
	return out, r.recorder.execute(ctx, p, batch{spaceID, "reject", "", steps}, &out)
}

// planRejection plans how to restore a file. Its error is a sentence that says why that isn't possible.
func (c *contents) planRejection(ctx context.Context, f *picked, now snapshots.State) (step, error) {
	s := step{id: f.ID, path: f.Path, made: f.Made, from: now, was: &row{f.base, f.agent, f.Made}}
	if stuck := c.view(ctx, f.File).Stuck; stuck != "" {
		return s, fault.Plain("not_kept", stuck)
	}
	if f.hunks == nil && now.Same(f.agent) {
		s.to = f.base
		return s, nil
	}
	base, agent, ok := c.texts(ctx, f.base, f.agent)
	present, _, fine := c.texts(ctx, now, now)
	if !ok || !fine || now.Kind != snapshots.File || f.agent.Kind != snapshots.File {
		if f.hunks != nil && now.Same(f.agent) && len(f.hunks) > 0 {
			s.to = f.base // the only hunk of a deleted file
			return s, nil
		}
		return s, fault.New("conflict", "{{path}} was changed after the agent's edit, so Weft didn't change it.", f.Path)
	}
	change := hunk.Compare(base, agent)
	wanted := func(i int) bool { return f.hunks == nil || slices.Contains(f.hunks, i) }
	text, left := change.In(present).Reject(wanted)
	done := func(i int) bool { return wanted(i) && !slices.Contains(left, i) }
	none := !slices.ContainsFunc(indices(len(change.Hunks)), done)
	if none && (len(change.Hunks) > 0 || now.Mode != f.agent.Mode) {
		return s, fault.New("conflict", "You edited the agent's changes in {{path}}, so they weren't changed.", f.Path)
	}
	if len(left) > 0 {
		s.note = fault.Text("You edited some of the agent's changes in {{path}}. Those weren't changed.", f.Path)
	}
	var err error
	if s.to, err = c.put(text); err != nil {
		return s, err
	}
	rest, err := c.put(change.Reject(done))
	if err != nil {
		return s, err
	}
	// When the last hunk is rejected, the mode is restored too, and an added file is removed.
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
