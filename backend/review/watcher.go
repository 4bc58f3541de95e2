package review

import (
	"context"
	"math"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/store"
	"weft/backend/store/reviews"
)

// Watcher notes what turns change in the folders of their spaces. Its methods may be called from any goroutine.
type Watcher struct {
	log        zerolog.Logger
	store      *reviews.Reviews
	contents   *contents
	folders    *folders
	recorder   *recorder
	background *background
	wait       time.Duration // see [Options].Wait
}

// Warm looks at the folder of a space before its first turn needs it. It does not block.
func (w *Watcher) Warm(spaceID string) {
	w.background.tasks.Go(func() {
		p, err := w.folders.place(w.background.ctx, spaceID)
		if err != nil {
			return // its first turn will say so
		}
		p.do(func(ctx context.Context) {
			if err := p.scan(ctx); err != nil && ctx.Err() == nil {
				w.log.Warn().Err(err).Str("space", spaceID).Msg("the folder could not be looked at")
			}
		})
	})
}

// BeforeTurn reports that a turn begins: its folder is watched from now on. Call ready right before the
// agent gets the prompt; it blocks until the folder was scanned, at most for Options.Wait, or until ctx
// ends.
func (w *Watcher) BeforeTurn(spaceID, runID, promptID string) (ready func(ctx context.Context)) {
	p, err := w.folders.place(w.background.ctx, spaceID)
	if err != nil {
		w.log.Warn().Err(err).Str("space", spaceID).Msg("the changes of this turn are not watched")
		return func(context.Context) {}
	}
	t := &turn{place: p, space: spaceID, runID: runID, tools: map[string]*tool{}}
	w.folders.expect(t)
	t.pass.Store(math.MaxInt64) // until the look begins
	seen := make(chan error, 1)
	p.do(func(ctx context.Context) {
		t.pass.Store(p.folder.Begun() + 1)
		seen <- p.scan(ctx)
	})
	return func(ctx context.Context) {
		wait := time.NewTimer(w.wait)
		defer wait.Stop()
		t.late = true
		select {
		case err := <-seen:
			if t.late = err != nil; t.late && w.background.ctx.Err() == nil {
				w.log.Warn().Err(err).Str("space", spaceID).Msg("the folder could not be looked at")
			}
		case <-ctx.Done():
		case <-wait.C:
		}
		w.begin(t, promptID)
	}
}

func (w *Watcher) begin(t *turn, promptID string) {
	t.since = w.recorder.now().UnixNano()
	err := w.store.Change(w.background.ctx, t.space, func(tx *reviews.Tx) (err error) {
		t.id, err = tx.AddTurn(reviews.Turn{What: "run", RunID: t.runID, PromptID: promptID, StartedAt: w.recorder.at(), Late: t.late})
		return err
	})
	w.folders.arrived(t.runID)
	if err != nil {
		w.log.Error().Err(err).Str("space", t.space).Msg("the changes of this turn are not watched")
		return
	}
	w.folders.begin(t)
}

// AfterTurn tells that a turn is over: what it has changed is looked for. It does not block.
func (w *Watcher) AfterTurn(spaceID, runID string) {
	w.folders.arrived(runID)
	if t := w.folders.turnOf(spaceID, runID); t != nil {
		t.place.do(func(ctx context.Context) { w.end(ctx, t) })
	}
}

func (w *Watcher) end(ctx context.Context, t *turn) {
	if err := t.place.scan(ctx); err != nil && ctx.Err() == nil {
		w.log.Warn().Err(err).Str("space", t.space).Msg("what the turn changed could not be looked for")
	}
	if ctx.Err() != nil {
		return // the next start continues
	}
	err := w.store.Change(ctx, t.space, func(tx *reviews.Tx) error { return tx.EndTurn(t.id, w.recorder.at()) })
	if err != nil && store.CodeOf(err) != store.CodeNotFound {
		w.log.Error().Err(err).Msg("the end of a turn could not be noted")
	}
	w.folders.end(t)
	w.recorder.onChange(t.space)
}

// resume watches a turn that the end of the app interrupted, and looks for what it has changed. It does not block.
func (w *Watcher) resume(ctx context.Context, was *reviews.Turn) error {
	p, err := w.folders.place(ctx, was.SpaceID)
	if err != nil {
		return err
	}
	t := &turn{place: p, space: was.SpaceID, runID: was.RunID, id: was.ID, late: was.Late, since: was.StartedAt * 1e6, tools: map[string]*tool{}}
	if was.Late {
		t.pass.Store(math.MaxInt64)
	}
	w.folders.begin(t)
	p.do(func(ctx context.Context) { w.end(ctx, t) })
	return nil
}

// Settled waits until everything that was asked for so far in a space's folder is done.
func (w *Watcher) Settled(ctx context.Context, spaceID string) error {
	p, err := w.folders.place(ctx, spaceID)
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
	case <-w.background.ctx.Done():
		return w.background.ctx.Err()
	}
}
