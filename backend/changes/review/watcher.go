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

// Watcher records what turns change in the folders of their spaces. Its methods are safe for concurrent use.
type Watcher struct {
	log        zerolog.Logger
	store      *reviews.Reviews
	contents   *contents
	folders    *folders
	recorder   *recorder
	background *background
	wait       time.Duration // see [Options].Wait
}

// Warm scans the folder of a space before its first turn needs it. It doesn't block.
func (w *Watcher) Warm(spaceID string) {
	w.background.tasks.Go(func() {
		p, err := w.folders.find(w.background.ctx, spaceID)
		if err != nil {
			return // the first turn reports the error
		}
		p.enqueue(func(ctx context.Context) {
			if _, err := p.scan(ctx); err != nil && ctx.Err() == nil {
				w.log.Warn().Err(err).Str("space", spaceID).Msg("the folder could not be looked at")
			}
		})
	})
}

// BeforeTurn reports that a turn begins. Its folder is tracked from now on. Call ready right before the prompt is sent
// to the agent. It blocks until the folder has been scanned, at most for Options.Wait, or until ctx ends.
func (w *Watcher) BeforeTurn(spaceID, runID, promptID string) (ready func(ctx context.Context)) {
	p, err := w.folders.current(w.background.ctx, spaceID)
	if err != nil {
		w.log.Warn().Err(err).Str("space", spaceID).Msg("the changes of this turn are not watched")
		return func(context.Context) {}
	}
	t := &turn{tracked: p, space: spaceID, runID: runID, tools: map[string]*tool{}}
	w.folders.hold(t)
	seen := w.scanBefore(t)
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, w.wait)
		defer cancel()
		first := await(ctx, seen)
		if w.pinFolder(ctx, t); t.info != nil && (errors.Is(first.err, errReplaced) || first.err == nil && !t.in(first.folder)) {
			first = await(ctx, w.scanBefore(t)) // the folder was replaced
		}
		t.late = first.err != nil || !t.in(first.folder)
		if first.err != nil && ctx.Err() == nil && w.background.ctx.Err() == nil {
			w.log.Warn().Err(first.err).Str("space", spaceID).Msg("the folder could not be looked at")
		}
		w.begin(t, promptID)
	}
}

// scanResult is a folder that was scanned, or the error.
type scanResult struct {
	folder fs.FileInfo
	err    error
}

// scanBefore scans the folder of a turn that is about to begin.
func (w *Watcher) scanBefore(t *turn) <-chan scanResult {
	t.pass.Store(math.MaxInt64) // until the scan begins
	seen, p := make(chan scanResult, 1), t.tracked
	p.enqueue(func(ctx context.Context) {
		t.pass.Store(p.folder.Begun() + 1)
		folder, err := p.scan(ctx)
		seen <- scanResult{folder, err}
	})
	return seen
}

func await(ctx context.Context, seen <-chan scanResult) scanResult {
	select {
	case one := <-seen:
		return one
	case <-ctx.Done():
		return scanResult{err: context.Cause(ctx)}
	}
}

// pinFolder finds the folder that is now at the path of the turn's space, in which the turn takes place. It returns
// when ctx ends, even if the disk doesn't respond; the turn then takes place in any folder that is at the path.
func (w *Watcher) pinFolder(ctx context.Context, t *turn) {
	type found struct {
		tracked *trackedFolder
		root    *os.Root
		info    fs.FileInfo
	}
	done := make(chan *found)
	w.background.tasks.Go(func() {
		f := &found{}
		var err error
		if f.tracked, err = w.folders.current(w.background.ctx, t.space); err == nil {
			f.root, err = f.tracked.open()
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
				_ = f.root.Close() // nobody receives it
			}
		}
	})
	select {
	case f := <-done:
		if f == nil {
			return // the prompt fails, or the next scan reports the error
		}
		t.root, t.info = f.root, f.info
		w.folders.relocate(t, f.tracked)
	case <-ctx.Done():
	}
}

func (w *Watcher) begin(t *turn, promptID string) {
	t.since = w.recorder.now().UnixNano()
	err := w.store.Change(w.background.ctx, t.space, func(tx *reviews.Tx) (err error) {
		t.id, err = tx.AddTurn(reviews.Turn{What: "run", RunID: t.runID, PromptID: promptID, StartedAt: w.recorder.at(), Late: t.late})
		return err
	})
	w.folders.release(t.runID)
	if err != nil {
		t.close()
		w.log.Error().Err(err).Str("space", t.space).Msg("the changes of this turn are not watched")
		return
	}
	w.folders.begin(t)
}

// AfterTurn reports that a turn is over. Its changes are searched in the background; AfterTurn doesn't block.
func (w *Watcher) AfterTurn(_, runID string) {
	w.folders.release(runID)
	if t := w.folders.turnOf(runID); t != nil {
		t.ended.CompareAndSwap(0, w.recorder.now().UnixNano())
		t.tracked.enqueue(func(ctx context.Context) { w.end(ctx, t) })
	}
}

func (w *Watcher) end(ctx context.Context, t *turn) {
	if _, err := t.tracked.scan(ctx); err != nil && ctx.Err() == nil {
		w.log.Warn().Err(err).Str("space", t.space).Msg("what the turn changed could not be looked for")
	}
	if ctx.Err() != nil {
		return // resumed at the next start
	}
	err := w.store.Change(ctx, t.space, func(tx *reviews.Tx) error { return tx.EndTurn(t.id, w.recorder.at()) })
	if err != nil && store.CodeOf(err) != store.CodeNotFound {
		w.log.Error().Err(err).Msg("the end of a turn could not be noted")
	}
	w.folders.end(t)
	w.recorder.onChange(t.space)
}

// resume tracks a turn that was interrupted by the end of the app, and searches its changes. It doesn't block.
func (w *Watcher) resume(ctx context.Context, was *reviews.Turn) error {
	p, err := w.folders.find(ctx, was.SpaceID)
	if err != nil {
		return err
	}
	t := &turn{tracked: p, space: was.SpaceID, runID: was.RunID, id: was.ID, late: was.Late, since: was.StartedAt * 1e6, tools: map[string]*tool{}}
	if was.Late {
		t.pass.Store(math.MaxInt64)
	}
	w.folders.begin(t)
	p.enqueue(func(ctx context.Context) { w.end(ctx, t) })
	return nil
}

// Settled waits until all jobs queued so far for a space's folder are done.
func (w *Watcher) Settled(ctx context.Context, spaceID string) error {
	p, err := w.folders.find(ctx, spaceID)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	p.enqueue(func(context.Context) { close(done) })
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.background.ctx.Done():
		return w.background.ctx.Err()
	}
}
