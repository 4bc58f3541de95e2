package review

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"weft/backend/base/fault"
	"weft/backend/changes/review/snapshots"
	"weft/backend/store/reviews"
)

// Write stores the present content of the file at path and then calls do, which writes the file for the agent. If the
// content can't be stored, it doesn't call do. It waits for other work on this file, but not on other files, until ctx
// ends.
func (w *Watcher) Write(ctx context.Context, spaceID, path string, do func() error) error {
	t := w.folders.turn(spaceID)
	if t == nil {
		t = w.lastTurn(spaceID) // some agents continue after they have reported the end
	}
	if t == nil {
		return do()
	}
	p := t.tracked
	rel, ok := p.relative(path)
	if !ok {
		return do() // the write will be refused
	}
	root, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Stat("."); err == nil && !t.in(info) {
		return do() // the write will be refused
	}
	unlock, err := p.files.lock(ctx, rel)
	if err != nil {
		return err
	}
	defer unlock()
	was, err := p.before(rel)
	if err != nil {
		return fault.New("not_kept", "Weft couldn't store what {{path}} contains now, so it wasn't changed: {{reason}}", path, err).Because(err)
	}
	made := ""
	if was.Kind == snapshots.Absent {
		made = snapshots.Missing(root, rel)
	}
	if w.folders.turn(spaceID) == t {
		p.claim(t, rel)
	}
	err = do()
	if lookErr := p.after(t, rel, made, true, func(snapshots.State) (snapshots.State, error) { return was, nil }); lookErr != nil {
		w.log.Error().Err(lookErr).Str("path", rel).Msg("what was written could not be noted; it is looked for when the turn ends")
	}
	return err
}

// lastTurn returns the last turn of a space, which is over, or nil.
func (w *Watcher) lastTurn(spaceID string) *turn {
	p, err := w.folders.find(w.background.ctx, spaceID)
	if err != nil {
		return nil
	}
	var last reviews.Turn
	ok := false
	err = w.store.View(w.background.ctx, spaceID, func(tx *reviews.Tx) (err error) {
		last, ok, err = tx.LastTurn("run")
		return err
	})
	if err != nil || !ok {
		return nil
	}
	return &turn{tracked: p, space: spaceID, runID: last.RunID, id: last.ID}
}

// before stores the present state of a path that is about to change, and returns it.
func (p *trackedFolder) before(rel string) (now snapshots.State, err error) {
	root, err := p.open()
	if err != nil {
		return now, err
	}
	defer root.Close()
	c, known, err := p.folder.Look(root, rel)
	if err != nil || c.After.Kind == snapshots.Other {
		return c.After, err
	}
	if known && !c.Before.Same(c.After) {
		info, err := root.Stat(".")
		if err != nil {
			return c.After, err
		}
		if err := p.reportChanges(info, []snapshots.Change{c}, nil); errors.Is(err, errReplaced) {
			return c.After, nil
		} else if err != nil {
			return c.After, err
		}
	}
	return c.After, p.folder.Seen(root, c)
}

// after records the state of a path that the agent of a turn has changed. If the path wasn't known before the change,
// undo returns the earlier state. wrote reports that the agent itself has just written; otherwise, a
// change after the end of the turn isn't the turn's, and is recorded only if what the agent had changed isn't.
func (p *trackedFolder) after(t *turn, rel, made string, wrote bool, undo func(now snapshots.State) (snapshots.State, error)) (err error) {
	defer func() {
		if errors.Is(err, errReplaced) {
			err = nil // the present folder isn't the turn's
		}
	}()
	root, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Stat(".")
	if err != nil || !t.in(info) {
		return err // the present folder isn't the turn's
	}
	c, known, err := p.folder.Look(root, rel)
	if err != nil || c.After.Kind == snapshots.Other {
		return err
	}
	if c.Later = !wrote && t.over(&c, p.recorder.now()); c.Later && p.recorder.recorded(p.background.ctx, t, rel) {
		return nil
	}
	if made != "" {
		c.Made = made
	}
	if c.After.Kind != snapshots.Absent {
		if err := p.folders(root, info, t, snapshots.Above(rel, c.Made)); err != nil {
			return err
		}
	}
	if !known || t.late && c.Pass < t.pass.Load() {
		before, undoErr := undo(c.After)
		if undoErr == nil {
			c.Before = before
		}
		err = errors.Join(err, undoErr)
	}
	if !c.Before.Same(c.After) {
		err = errors.Join(err, p.reportChanges(info, []snapshots.Change{c}, t))
	}
	if err != nil {
		return err
	}
	return p.folder.Seen(root, c)
}

// folders records folders that the agent of a turn has created. Folders that existed when they were last seen were
// removed and created again, so they are skipped.
func (p *trackedFolder) folders(root *os.Root, info fs.FileInfo, t *turn, made []string) error {
	for _, dir := range made {
		if p.folder.KnownFolder(dir) {
			continue
		}
		c := snapshots.Change{Path: dir, Before: snapshots.State{Kind: snapshots.Absent}, After: snapshots.State{Kind: snapshots.Directory}}
		if err := errors.Join(p.reportChanges(info, []snapshots.Change{c}, t), p.folder.SeenFolder(root, dir)); err != nil {
			return err
		}
	}
	return nil
}
