package review

import (
	"context"
	"time"

	"weft/backend/store"
)

// BeforeTurn tells that a turn begins: its folder is looked at from now on. ready is to be called
// right before the agent gets the prompt; it waits until the folder was seen, but not for longer than
// Options.Wait, and not when ctx ends.
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
	// What the look found: from which scan on the folder was seen as the prompt finds it.
	type look struct {
		pass int64
		late bool
	}
	seen := make(chan look, 1)
	p.do(func(ctx context.Context) {
		found := look{pass: p.folder.Begun() + 1}
		if err := p.scan(ctx); err != nil && ctx.Err() == nil {
			found.late = true
			r.opt.Log.Warn().Err(err).Str("space", spaceID).Msg("the folder could not be looked at")
		}
		seen <- found
	})
	return func(ctx context.Context) {
		wait := time.NewTimer(r.opt.Wait)
		defer wait.Stop()
		found := look{late: true}
		select {
		case found = <-seen:
		case <-ctx.Done():
			found.pass = p.folder.Begun()
		case <-wait.C:
			found.pass = p.folder.Begun()
		}
		t.pass, t.late = found.pass, found.late
		r.begin(t, promptID)
	}
}

func (r *Room) begin(t *turn, promptID string) {
	p := t.place
	t.since = r.opt.Now().UnixNano()
	err := r.opt.Store.ReviewChange(r.ctx, t.space, func(tx *store.ReviewTx) (err error) {
		t.id, err = tx.AddTurn(store.ReviewTurn{What: "run", RunID: t.runID, PromptID: promptID, StartedAt: r.now(), Late: t.late})
		return err
	})
	r.here(t.runID)
	if err != nil {
		r.opt.Log.Error().Err(err).Str("space", t.space).Msg("the changes of this turn are not watched")
		return
	}
	p.mu.Lock()
	p.turns[t.space] = t
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
	t := r.turn(spaceID)
	if t == nil || t.runID != runID {
		return
	}
	t.place.do(func(ctx context.Context) { r.end(ctx, t) })
}

func (r *Room) end(ctx context.Context, t *turn) {
	p := t.place
	if err := p.scan(ctx); err != nil && ctx.Err() == nil {
		r.opt.Log.Warn().Err(err).Str("space", t.space).Msg("what the turn changed could not be looked for")
	}
	if ctx.Err() != nil {
		return // the next start goes on
	}
	err := r.opt.Store.ReviewChange(ctx, t.space, func(tx *store.ReviewTx) error { return tx.EndTurn(t.id, r.now()) })
	if err != nil && store.CodeOf(err) != store.CodeNotFound {
		r.opt.Log.Error().Err(err).Msg("the end of a turn could not be noted")
	}
	p.mu.Lock()
	if p.turns[t.space] == t {
		delete(p.turns, t.space)
	}
	for path, by := range p.claims {
		if delete(by, t.space); len(by) == 0 {
			delete(p.claims, path)
		}
	}
	p.mu.Unlock()
	r.mu.Lock()
	delete(r.spaces, t.space)
	r.mu.Unlock()
	r.opt.OnChange(t.space)
}

// turn answers the turn that is in progress in a space, nil if there is none.
func (r *Room) turn(spaceID string) *turn {
	r.mu.Lock()
	p := r.spaces[spaceID]
	r.mu.Unlock()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turns[spaceID]
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
