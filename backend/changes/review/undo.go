package review

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/changes/review/hunk"
	"weft/backend/changes/review/snapshots"
	"weft/backend/files/regular"
	"weft/backend/store/reviews"
)

// UndoFile is what an undo would do to one file.
type UndoFile struct {
	Path    string `json:"path"` // a folder's path ends with a slash
	What    string `json:"what" enum:"edit,remove,restore,mode"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	// Conflict is a sentence that says why the file isn't changed unless the user chooses it, or "".
	Conflict string `json:"conflict"`
	Stuck    string `json:"stuck"`   // why it can't be undone, or ""
	Version  string `json:"version"` // identifies the present and the restored state, for Choice
}

// UndoPlan is what undoing everything since a prompt would do.
type UndoPlan struct {
	Files []UndoFile `json:"files"`
	// Known is false if the turn of the prompt wasn't tracked, or its data was deleted.
	Known bool `json:"known"`
}

// undoing is a file to be restored.
type undoing struct {
	UndoFile
	made        string
	hidden      bool // a folder that needn't be shown
	now, target snapshots.State
	was         *row // review state when the prompt was sent
}

// PlanUndo returns what [Reviews.Undo] would do. It changes nothing.
func (r *Reviews) PlanUndo(ctx context.Context, spaceID, promptID string) (UndoPlan, error) {
	p, root, err := r.folders.enter(ctx, spaceID)
	if err != nil {
		return UndoPlan{}, err
	}
	defer root.Close()
	list, known, err := r.planUndo(ctx, p, root, spaceID, promptID)
	plan := UndoPlan{Files: []UndoFile{}, Known: known}
	for _, u := range list {
		if !u.hidden {
			plan.Files = append(plan.Files, u.UndoFile)
		}
	}
	return plan, err
}

func (r *Reviews) planUndo(ctx context.Context, p *trackedFolder, root *os.Root, spaceID, promptID string) (list []undoing, known bool, err error) {
	type chain struct {
		first, last reviews.Touch
		between     bool // someone else changed it between two turns
		ours        bool // a run touched it, not only the user
	}
	chains, order := map[string]*chain{}, []string{}
	err = r.store.View(ctx, spaceID, func(tx *reviews.Tx) error {
		turn, ok, err := tx.PromptTurn(promptID)
		if err != nil || !ok {
			return err
		}
		known = true
		touches, err := tx.TouchesSince(turn.ID)
		if err != nil {
			return err
		}
		for _, t := range touches {
			c := chains[t.Path]
			if c == nil {
				c = &chain{first: t, last: t}
				chains[t.Path], order = c, append(order, t.Path)
			} else {
				before := stateOf(t.Before)
				c.between = c.between || before.Kind != snapshots.Unknown && !stateOf(c.last.After).Same(before)
				c.last = t
			}
			c.ours = c.ours || t.What == "run"
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	slices.Sort(order)
	// replaced reports whether a turn has put a file in the place of a folder, or the reverse. That one is removed
	// first.
	replaced := func(path string, now snapshots.State) bool {
		c := chains[otherPath(path)]
		return now.Kind == snapshots.Other && c != nil && stateOf(c.first.Before).Kind == snapshots.Absent
	}
	for _, path := range order {
		c := chains[path]
		now, err := p.present(root, path)
		if err != nil {
			return nil, known, err
		}
		if replaced(path, now) {
			now = snapshots.State{Kind: snapshots.Absent}
		}
		u := undoing{UndoFile: UndoFile{Path: path}, made: c.first.Made, now: now, target: stateOf(c.first.Before), was: rowOf(c.first.Was)}
		if !c.ours || now.Same(u.target) {
			continue
		}
		if chains[c.first.Made+"/"] != nil {
			u.made = "" // another entry restores the folder itself
		}
		u.Version = version(u.now, u.target)
		u.What = undoKind(u.now, u.target)
		if snapshots.FolderPath(path) {
			if now.Kind == snapshots.Absent || now.Kind == snapshots.Directory {
				list = append(list, u)
			}
			continue
		}
		if a, b, ok := r.contents.texts(ctx, u.now, u.target); ok {
			u.Added, u.Removed = hunk.Counts(hunk.Diff(hunk.Lines(a), hunk.Lines(b)))
		}
		switch {
		case u.target.Kind == snapshots.Unknown:
			u.Stuck = sentence("Weft hadn't read this file before it changed.")
		case u.target.Hash != now.Hash && !r.contents.kept(ctx, u.target):
			u.Stuck = notKept(u.target)
		case !r.contents.kept(ctx, now):
			u.Stuck = sentence("The current content is too large to store, so the undo couldn't be reversed.")
		case now.Kind == snapshots.Other || now.Kind == snapshots.Unknown:
			u.Stuck = sentence("Something else is in its place now.")
		case !now.Same(stateOf(c.last.After)):
			u.Conflict = sentence("You changed this file after the agent.")
		case c.between:
			u.Conflict = sentence("You changed this file between two turns of the agent.")
		}
		list = append(list, u)
	}
	return shown(root, list), known, nil
}

// otherPath returns the path of a folder at the location of a file, and the reverse.
func otherPath(path string) string {
	if file, folder := strings.CutSuffix(path, "/"); folder {
		return file
	}
	return path + "/"
}

// shown hides folders that are removed or restored together with their files, or with a folder that is shown. It drops
// the remaining folders that aren't empty.
func shown(root *os.Root, list []undoing) []undoing {
	removed := map[string]bool{}
	for _, u := range list {
		removed[u.Path] = u.What == "remove"
	}
	out := make([]undoing, 0, len(list))
	for _, u := range list {
		if snapshots.FolderPath(u.Path) {
			files := func(o undoing) bool { return strings.HasPrefix(o.Path, u.Path) && !snapshots.FolderPath(o.Path) }
			above := func(o undoing) bool {
				return snapshots.FolderPath(o.Path) && strings.HasPrefix(u.Path, o.Path) && o.What == u.What
			}
			u.hidden = slices.ContainsFunc(list, files) || slices.ContainsFunc(out, above)
			if !u.hidden && u.What == "remove" && !empty(root, u.Path, removed) {
				continue
			}
		}
		out = append(out, u)
	}
	return out
}

// empty reports whether a folder contains only what is removed as well.
func empty(root *os.Root, dir string, removed map[string]bool) bool {
	list, err := regular.ReadFolder(root, filepath.FromSlash(strings.TrimSuffix(dir, "/")), 1000)
	return err == nil && !slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		p := dir + e.Name() + "/"
		return !e.IsDir() || !removed[p] || !empty(root, p, removed)
	})
}

func undoKind(now, target snapshots.State) string {
	switch {
	case target.Kind == snapshots.Absent:
		return "remove"
	case now.Kind == snapshots.Absent:
		return "restore"
	case now.Kind == target.Kind && now.Hash == target.Hash:
		return "mode"
	}
	return "edit"
}

// Choice selects a file of a plan to be undone, in the version that was shown.
type Choice struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// Undo restores what the agent has changed since a prompt was sent. Files with a conflict aren't changed unless they
// are chosen. If only is set, no other file is changed either: a later scan may have found more than the user was
// shown. [Reviews.Redo] reverts it.
func (r *Reviews) Undo(ctx context.Context, spaceID, promptID string, chosen []Choice, only bool) (Outcome, error) {
	out := Outcome{Left: []Left{}}
	if r.folders.turn(spaceID) != nil {
		return out, fault.New("busy", "The agent is still working, or Weft is still looking at what it did. Stop it first, or try again in a moment.")
	}
	p, root, err := r.folders.enter(ctx, spaceID)
	if err != nil {
		return out, err
	}
	defer root.Close()
	unlock, err := p.files.lock(ctx, allNames)
	if err != nil {
		return out, err
	}
	defer unlock()
	list, known, err := r.planUndo(ctx, p, root, spaceID, promptID)
	if err != nil {
		return out, err
	}
	if !known {
		return out, fault.New("not_found", "Weft didn't track files during this turn, so there is nothing to undo.")
	}
	var steps []step
	for _, u := range list {
		if u.Stuck != "" {
			out.Left = append(out.Left, Left{Path: u.Path, Message: sentence("{{path}} was left unchanged: {{reason}}", u.Path, u.Stuck)})
			continue
		}
		if u.Conflict != "" || only && !u.hidden {
			at := slices.IndexFunc(chosen, func(c Choice) bool { return c.Path == u.Path })
			if at < 0 {
				continue
			}
			if chosen[at].Version != u.Version {
				out.Left = append(out.Left, Left{Path: u.Path, Message: changedMessage(u.Path)})
				continue
			}
		}
		s := step{path: u.Path, made: u.made, from: u.now, to: u.target, silent: u.hidden}
		if s.was, err = r.recorder.row(ctx, spaceID, u.Path); err != nil {
			return out, err
		}
		if u.was != nil {
			s.plan = &row{u.was.Base, u.target, u.was.Made}
		}
		steps = append(steps, s)
	}
	return out, r.recorder.execute(ctx, p, batch{spaceID, "undo", promptID, steps}, &out)
}

// Redo reverts an undo or a rejection. Files that have changed since aren't changed.
func (r *Reviews) Redo(ctx context.Context, spaceID string, turn int64) (Outcome, error) {
	out := Outcome{Left: []Left{}}
	p, root, err := r.folders.enter(ctx, spaceID)
	if err != nil {
		return out, err
	}
	defer root.Close()
	unlock, err := p.files.lock(ctx, allNames)
	if err != nil {
		return out, err
	}
	defer unlock()
	var steps []step
	err = r.store.View(ctx, spaceID, func(tx *reviews.Tx) error {
		t, ok, err := tx.Turn(turn)
		if err != nil {
			return err
		}
		if !ok || t.What == "run" {
			return fault.New("not_found", "This can no longer be undone.")
		}
		touches, err := tx.TouchesOf(turn)
		for _, t := range touches {
			s := step{path: t.Path, made: t.Made, from: stateOf(t.After), to: stateOf(t.Before), plan: rowOf(t.Was), silent: snapshots.FolderPath(t.Path)}
			f, fileErr := tx.File(t.Path)
			if fileErr != nil {
				return fileErr
			}
			s.was = fileRow(f)
			steps = append(steps, s)
		}
		return err
	})
	if err != nil {
		return out, err
	}
	paths := map[string]bool{}
	for _, s := range steps {
		paths[s.path] = true
	}
	fit := steps[:0]
	for _, s := range steps {
		now, err := p.present(root, s.path)
		if now.Kind == snapshots.Other && paths[otherPath(s.path)] {
			now = snapshots.State{Kind: snapshots.Absent} // what is there is removed first
		}
		switch {
		case snapshots.FolderPath(s.path) && (err != nil || !now.Same(s.from)):
		case err != nil:
			out.Left = append(out.Left, Left{Path: s.path, Message: failureMessage(s.path, err)})
		case !now.Same(s.from):
			out.Left = append(out.Left, Left{Path: s.path, Message: sentence("{{path}} has changed since, so Weft didn't change it.", s.path)})
		default:
			fit = append(fit, s)
		}
	}
	return out, r.recorder.execute(ctx, p, batch{spaceID, "redo", "", fit}, &out)
}
