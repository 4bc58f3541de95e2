package review

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"weft/backend/fault"
	"weft/backend/review/snapshots"
	"weft/backend/store/reviews"
)

// Write has do write the file at path, as an agent asked for, and keeps what was there before. If
// that cannot be kept, nothing is written. It waits for other work on the file, but on no other, until ctx ends.
func (w *Watcher) Write(ctx context.Context, spaceID, path string, do func() error) error {
	t := w.folders.turn(spaceID)
	if t == nil {
		t = w.lastTurn(spaceID) // some agents continue after they said that they have ended
	}
	if t == nil {
		return do()
	}
	p := t.place
	rel, ok := p.relative(path)
	if !ok {
		return do() // it will be refused
	}
	root, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Stat("."); err == nil && !t.in(info) {
		return do() // it will be refused, too
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
	if lookErr := p.after(t, rel, made, func(snapshots.State) (snapshots.State, error) { return was, nil }); lookErr != nil {
		w.log.Error().Err(lookErr).Str("path", rel).Msg("what was written could not be noted; it is looked for when the turn ends")
	}
	return err
}

// lastTurn returns the last turn of a space, which is over; nil if it had none.
func (w *Watcher) lastTurn(spaceID string) *turn {
	p, err := w.folders.place(w.background.ctx, spaceID)
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
	return &turn{place: p, space: spaceID, runID: last.RunID, id: last.ID}
}

// before keeps what is at a path that is about to change, and returns it.
func (p *place) before(rel string) (now snapshots.State, err error) {
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
		if err := p.tell(info, []snapshots.Change{c}, nil); err != nil {
			return c.After, err
		}
	}
	return c.After, p.folder.Seen(root, c)
}

// after notes what is at a path that the agent of a turn has changed. undo returns what it held
// before, where nobody had looked at it, nil if that cannot be known.
func (p *place) after(t *turn, rel, made string, undo func(now snapshots.State) (snapshots.State, error)) error {
	root, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Stat(".")
	if err != nil || !t.in(info) {
		return err // what is there now is nothing of this turn
	}
	c, known, err := p.folder.Look(root, rel)
	if err != nil || c.After.Kind == snapshots.Other {
		return err
	}
	if made != "" {
		c.Made = made
	}
	if c.After.Kind != snapshots.Absent {
		if err := p.folders(root, info, t, snapshots.Above(rel, c.Made)); err != nil {
			return err
		}
	}
	if (!known || t.late && c.Pass < t.pass.Load()) && undo != nil {
		before, undoErr := undo(c.After)
		if undoErr == nil {
			c.Before = before
		}
		err = errors.Join(err, undoErr)
	}
	if !c.Before.Same(c.After) {
		err = errors.Join(err, p.tell(info, []snapshots.Change{c}, t))
	}
	if err != nil {
		return err
	}
	return p.folder.Seen(root, c)
}

// folders notes folders that the agent of a turn has made. Those that were there when they were last seen have gone and come back since.
func (p *place) folders(root *os.Root, info fs.FileInfo, t *turn, made []string) error {
	for _, dir := range made {
		if p.folder.KnownFolder(dir) {
			continue
		}
		c := snapshots.Change{Path: dir, Before: snapshots.State{Kind: snapshots.Absent}, After: snapshots.State{Kind: snapshots.Directory}}
		if err := errors.Join(p.tell(info, []snapshots.Change{c}, t), p.folder.SeenFolder(root, dir)); err != nil {
			return err
		}
	}
	return nil
}
