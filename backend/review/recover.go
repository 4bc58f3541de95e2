package review

import (
	"context"
	"math"

	"weft/backend/store/reviews"
)

// Recover finishes what the app's last session did not: what was being put back is brought in line
// with the disk, and what interrupted turns changed is looked for.
func (r *Room) Recover(ctx context.Context) {
	turns, planned, err := r.opt.Store.Reviews.Unfinished(ctx)
	if err != nil {
		r.opt.Log.Error().Err(err).Msg("interrupted reviews cannot be read")
		return
	}
	for _, spaceID := range planned {
		if err := r.finishPlans(ctx, spaceID); err != nil {
			r.opt.Log.Error().Err(err).Str("space", spaceID).Msg("what was being put back cannot be looked at")
		}
	}
	for _, was := range turns {
		p, err := r.place(ctx, was.SpaceID)
		if err != nil {
			r.opt.Log.Warn().Err(err).Str("space", was.SpaceID).Msg("what an interrupted turn changed cannot be looked for")
			continue
		}
		t := &turn{place: p, space: was.SpaceID, runID: was.RunID, id: was.ID, late: was.Late, since: was.StartedAt * 1e6, tools: map[string]*tool{}}
		if was.Late {
			t.pass.Store(math.MaxInt64)
		}
		p.mu.Lock()
		p.turns[t.runID] = t
		p.mu.Unlock()
		r.mu.Lock()
		r.spaces[t.space] = p
		r.mu.Unlock()
		p.do(func(ctx context.Context) { r.end(ctx, t) })
	}
}

// finishPlans tells for each planned step by the disk whether it was done.
func (r *Room) finishPlans(ctx context.Context, spaceID string) error {
	p, root, err := r.enter(ctx, spaceID)
	if err != nil {
		return err
	}
	defer root.Close()
	var list []reviews.Touch
	err = r.opt.Store.Reviews.View(ctx, spaceID, func(tx *reviews.Tx) (err error) {
		list, err = tx.Planned()
		return err
	})
	if err != nil {
		return err
	}
	rows, done := make([]prepared, len(list)), make([]bool, len(list))
	for i, t := range list {
		_ = root.Remove(tempOf(t.Path))
		now, err := p.present(root, t.Path)
		done[i] = err == nil && now.Same(stateOf(t.After))
		rows[i] = r.prepare(ctx, t.Path, rowOf(t.Plan))
	}
	return r.opt.Store.Reviews.Change(ctx, spaceID, func(tx *reviews.Tx) error {
		for i, t := range list {
			if err := settle(tx, t.TurnID, &rows[i], done[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
