package review

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
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
			if _, err := p.scan(ctx); err != nil && ctx.Err() == nil {
				w.log.Warn().Err(err).Str("space", spaceID).Msg("the folder could not be looked at")
			}
		})
	})
}

// BeforeTurn reports that a turn begins: its folder is watched from now on. Call ready right before the
// agent gets the prompt; it blocks until the folder was scanned, at most for Options.Wait, or until ctx
// ends.
func (w *Watcher) BeforeTurn(spaceID, runID, promptID string) (ready func(ctx context.Context)) {
	p, err := w.folders.there(w.background.ctx, spaceID)
	if err != nil {
		w.log.Warn().Err(err).Str("space", spaceID).Msg("the changes of this turn are not watched")
		return func(context.Context) {}
	}
	t := &turn{place: p, space: spaceID, runID: runID, tools: map[string]*tool{}}
	w.folders.expect(t)
	seen := w.look(t)
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, w.wait)
		defer cancel()
		first := await(ctx, seen)
		if w.settle(ctx, t); t.info != nil && (errors.Is(first.err, errReplaced) || first.err == nil && !t.in(first.folder)) {
			first = await(ctx, w.look(t)) // another folder has been put there since
		}
		t.late = first.err != nil || !t.in(first.folder)
		if first.err != nil && ctx.Err() == nil && w.background.ctx.Err() == nil {
			w.log.Warn().Err(first.err).Str("space", spaceID).Msg("the folder could not be looked at")
		}
		w.begin(t, promptID)
	}
}

// looked is a folder that was looked at, or why it wasn't.
type looked struct {
	folder fs.FileInfo
	err    error
}

// look looks at the folder of a turn that is about to begin.
func (w *Watcher) look(t *turn) <-chan looked {
	t.pass.Store(math.MaxInt64) // until the look begins
	seen, p := make(chan looked, 1), t.place
	p.do(func(ctx context.Context) {
		t.pass.Store(p.folder.Begun() + 1)
		folder, err := p.scan(ctx)
		seen <- looked{folder, err}
	})
	return seen
}

func await(ctx context.Context, seen <-chan looked) looked {
	select {
	case one := <-seen:
		return one
	case <-ctx.Done():
		return looked{err: context.Cause(ctx)}
	}
}

// settle finds the folder that is at the path of the turn's space now, in which the turn takes place. It returns when ctx ends, also where the disk
// doesn't respond: then the turn takes place in whichever folder is there.
func (w *Watcher) settle(ctx context.Context, t *turn) {
	type found struct {
		place *place
		root  *os.Root
		info  fs.FileInfo
	}
	done := make(chan *found)
	w.background.tasks.Go(func() {
		f := &found{}
		var err error
		if f.place, err = w.folders.there(w.background.ctx, t.space); err == nil {
			f.root, err = f.place.open()
		}
		if err == nil {
			f.info, err = f.root.Stat(".")
		}
		if err != nil {
			f = nil
		}
		select {
		case done <- f:
		case <-ctx.Done():
			if f != nil {
				_ = f.root.Close() // nobody waits for it any more
			}
		}
	})
	select {
	case f := <-done:
		if f == nil {
			return // the prompt isn't sent, or its next look says why
		}
		t.root, t.info = f.root, f.info
		w.folders.moves(t, f.place)
	case <-ctx.Done():
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
		t.close()
		w.log.Error().Err(err).Str("space", t.space).Msg("the changes of this turn are not watched")
		return
	}
	w.folders.begin(t)
}

// AfterTurn tells that a turn is over: what it has changed is looked for. It does not block.
func (w *Watcher) AfterTurn(_, runID string) {
	w.folders.arrived(runID)
	if t := w.folders.turnOf(runID); t != nil {
		t.place.do(func(ctx context.Context) { w.end(ctx, t) })
	}
}

func (w *Watcher) end(ctx context.Context, t *turn) {
	if _, err := t.place.scan(ctx); err != nil && ctx.Err() == nil {
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
