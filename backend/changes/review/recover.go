package review

import (
	"context"

	"weft/backend/changes/review/snapshots"
	"weft/backend/store/reviews"
)

// Recover completes what was interrupted when the app last ended: planned restorations are compared with the disk, and
// the changes of interrupted turns are found.
func (r *Reviews) Recover(ctx context.Context) {
	turns, planned, err := r.store.Unfinished(ctx)
	if err != nil {
		r.log.Error().Err(err).Msg("interrupted reviews cannot be read")
		return
	}
	for _, spaceID := range planned {
		if err := r.finishPlans(ctx, spaceID); err != nil {
			r.log.Error().Err(err).Str("space", spaceID).Msg("what was being put back cannot be looked at")
		}
	}
	for i := range turns {
		if err := r.Watcher.resume(ctx, &turns[i]); err != nil {
			r.log.Warn().Err(err).Str("space", turns[i].SpaceID).Msg("what an interrupted turn changed cannot be looked for")
		}
	}
}

// finishPlans finds out, for each planned step, whether it was carried out on disk.
func (r *Reviews) finishPlans(ctx context.Context, spaceID string) error {
	p, root, err := r.folders.enter(ctx, spaceID)
	if err != nil {
		return err
	}
	defer root.Close()
	var list []reviews.Touch
	err = r.store.View(ctx, spaceID, func(tx *reviews.Tx) (err error) {
		list, err = tx.Planned()
		return err
	})
	if err != nil {
		return err
	}
	rows, done := make([]prepared, len(list)), make([]bool, len(list))
	for i, t := range list {
		if !snapshots.FolderPath(t.Path) {
			_ = root.Remove(tempOf(t.Path))
		}
		now, err := p.present(root, t.Path)
		done[i] = err == nil && now.Same(stateOf(t.After))
		rows[i] = r.recorder.prepare(ctx, t.Path, rowOf(t.Plan))
	}
	return r.store.Change(ctx, spaceID, func(tx *reviews.Tx) error {
		for i, t := range list {
			if err := finishStep(tx, t.TurnID, &rows[i], done[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
