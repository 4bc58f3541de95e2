package review

import (
	"context"
	"math"
	"time"

	"weft/backend/store"
	"weft/backend/store/reviews"
)

// BeforeTurn reports that a turn begins: its folder is watched from now on. Call ready right before the
// agent gets the prompt; it blocks until the folder was scanned, at most for Options.Wait, or until ctx
// ends.
func (r *Room) BeforeTurn(spaceID, runID, promptID string) (ready func(ctx context.Context)) {
	p, err := r.place(r.ctx, spaceID)
	if err != nil {
		r.opt.Log.Warn().Err(err).Str("space", spaceID).Msg("the changes of this turn are not watched")
		return func(context.Context) {}
	}
	t := &turn{place: p, space: spaceID, runID: runID, tools: map[string]*tool{}}
	p.mu.Lock()
	p.users++
	p.mu.Unlock()
	r.mu.Lock()
	r.coming[runID] = t
	r.mu.Unlock()
	t.pass.Store(math.MaxInt64) // until the look begins
	seen := make(chan error, 1)
	p.do(func(ctx context.Context) {
		t.pass.Store(p.folder.Begun() + 1)
		seen <- p.scan(ctx)
	})
	return func(ctx context.Context) {
		wait := time.NewTimer(r.opt.Wait)
		defer wait.Stop()
		t.late = true
		select {
		case err := <-seen:
			if t.late = err != nil; t.late && r.ctx.Err() == nil {
				r.opt.Log.Warn().Err(err).Str("space", spaceID).Msg("the folder could not be looked at")
			}
		case <-ctx.Done():
		case <-wait.C:
		}
		r.begin(t, promptID)
	}
}

func (r *Room) begin(t *turn, promptID string) {
	p := t.place
	t.since = r.opt.Now().UnixNano()
	err := r.opt.Store.Reviews.Change(r.ctx, t.space, func(tx *reviews.Tx) (err error) {
		t.id, err = tx.AddTurn(reviews.Turn{What: "run", RunID: t.runID, PromptID: promptID, StartedAt: r.now(), Late: t.late})
		return err
	})
	r.here(t.runID)
	if err != nil {
		r.opt.Log.Error().Err(err).Str("space", t.space).Msg("the changes of this turn are not watched")
		return
	}
	p.mu.Lock()
	p.turns[t.runID] = t
	p.mu.Unlock()
	r.mu.Lock()
	r.spaces[t.space] = p
	r.mu.Unlock()
}

// here tells that a turn has begun, or will not any more.
func (r *Room) here(runID string) {
	r.mu.Lock()
	t := r.coming[runID]
	delete(r.coming, runID)
	r.mu.Unlock()
	if t != nil {
		t.place.mu.Lock()
		t.place.users--
		t.place.mu.Unlock()
	}
}

// AfterTurn tells that a turn is over: what it has changed is looked for. It does not block.
func (r *Room) AfterTurn(spaceID, runID string) {
	r.here(runID)
	r.mu.Lock()
	p := r.spaces[spaceID]
	r.mu.Unlock()
	if p == nil {
		return
	}
	p.mu.Lock()
	t := p.turns[runID]
	p.mu.Unlock()
	if t == nil {
		return
	}
	p.do(func(ctx context.Context) { r.end(ctx, t) })
}

func (r *Room) end(ctx context.Context, t *turn) {
	p := t.place
	if err := p.scan(ctx); err != nil && ctx.Err() == nil {
		r.opt.Log.Warn().Err(err).Str("space", t.space).Msg("what the turn changed could not be looked for")
	}
	if ctx.Err() != nil {
		return // the next start continues
	}
	err := r.opt.Store.Reviews.Change(ctx, t.space, func(tx *reviews.Tx) error { return tx.EndTurn(t.id, r.now()) })
	if err != nil && store.CodeOf(err) != store.CodeNotFound {
		r.opt.Log.Error().Err(err).Msg("the end of a turn could not be noted")
	}
	p.mu.Lock()
	delete(p.turns, t.runID)
	last := p.newest(t.space) == nil
	for path, by := range p.claims {
		if !last {
			break
		}
		if delete(by, t.space); len(by) == 0 {
			delete(p.claims, path)
		}
	}
	p.mu.Unlock()
	if last {
		r.mu.Lock()
		delete(r.spaces, t.space)
		r.mu.Unlock()
	}
	r.opt.OnChange(t.space)
}

// turn returns the turn that is in progress in a space, nil if there is none.
func (r *Room) turn(spaceID string) *turn {
	r.mu.Lock()
	p := r.spaces[spaceID]
	r.mu.Unlock()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newest(spaceID)
}

// newest returns the turn of a space that began last, nil if none is in progress. The mutex is held.
func (p *place) newest(spaceID string) (last *turn) {
	for _, t := range p.turns {
		if t.space == spaceID && (last == nil || t.id > last.id) {
			last = t
		}
	}
	return last
}

// Settled waits until everything that was asked for so far in a space's folder is done.
func (r *Room) Settled(ctx context.Context, spaceID string) error {
	p, err := r.place(ctx, spaceID)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	p.do(func(context.Context) { close(done) })
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}
