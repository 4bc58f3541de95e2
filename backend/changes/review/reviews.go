package review

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/fault"
	"weft/backend/changes/review/snapshots"
	"weft/backend/store"
	"weft/backend/store/reviews"
)

// Error is an error that the user can act on.
type Error = fault.Error

// Options configures [Reviews].
type Options struct {
	Store   *store.Store
	DataDir string
	// Folder returns the folder of a space.
	Folder func(ctx context.Context, spaceID string) (string, error)
	// OnChange is called when what needs review in a space may have changed. It must not block.
	OnChange func(spaceID string)
	// OnFound is called with files that were found to have changed on disk during a run. alone is true if no other run
	// works in the folder, or if the run's agent named the files. It must not block; it may be nil.
	OnFound func(spaceID, runID string, paths []string, alone bool)
	Log     zerolog.Logger
	Now     func() time.Time
	// Wait is how long a prompt waits for the first scan of the folder; default 2 s.
	Wait time.Duration
}

// Reviews shows, accepts, rejects and undoes the changes of agents in the folders of all spaces. Its methods are safe
// for concurrent use.
type Reviews struct {
	// Watcher records what turns change.
	Watcher *Watcher
	// Commits commits accepted changes.
	Commits *Commits

	log        zerolog.Logger
	store      *reviews.Reviews
	contents   *contents
	folders    *folders
	recorder   *recorder
	background *background
}

// Open opens the data in opt.DataDir. Call [Reviews.Recover] before anything else.
func Open(ctx context.Context, opt Options) (*Reviews, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Wait == 0 {
		opt.Wait = 2 * time.Second
	}
	kept, aside, err := snapshots.Open(opt.DataDir, opt.Now)
	if err != nil {
		return nil, err
	}
	if aside != "" {
		opt.Log.Error().Str("aside", aside).Msg("what was kept of files cannot be read; it is put aside")
	}
	r := &Reviews{log: opt.Log, store: opt.Store.Reviews, contents: &contents{snapshots: kept, log: opt.Log}, background: newBackground(ctx)}
	r.recorder = &recorder{store: r.store, contents: r.contents, now: opt.Now, onChange: opt.OnChange, onFound: opt.OnFound}
	r.folders = newFolders(opt.Folder, kept, r.recorder, r.background)
	r.Watcher = &Watcher{log: opt.Log, store: r.store, contents: r.contents, folders: r.folders, recorder: r.recorder, background: r.background, wait: opt.Wait}
	r.Commits = &Commits{store: r.store, contents: r.contents, folders: r.folders}
	return r, nil
}

// closeGrace is how long a disk that doesn't respond may delay the end of the app.
const closeGrace = 10 * time.Second

// Close waits for running work and closes the files.
func (r *Reviews) Close() error {
	if !r.background.close(closeGrace) {
		return errors.New("a folder doesn't answer; what its last turn changed is looked for at the next start")
	}
	return r.contents.snapshots.Close()
}

// Tidy deletes what is no longer needed: old turns, folders of deleted spaces, and unreferenced contents. It may be
// slow, so call it when Weft is idle.
func (r *Reviews) Tidy(ctx context.Context, folders []string) error {
	used := map[string]bool{}
	err := r.store.Prune(ctx, keptTurns, func(raw []byte) {
		for _, s := range statesIn(raw) {
			used[s.Hash] = true
		}
	})
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, dir := range folders {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			known[real] = true
		} else {
			known[dir] = true // on a disk that isn't mounted
		}
	}
	return r.contents.snapshots.Prune(ctx, known, used)
}

// keptTurns is how many turns can be undone per space.
const keptTurns = 500

// Forget deletes the review of a space, for instance because its folder changes.
func (r *Reviews) Forget(ctx context.Context, spaceID string) error {
	return r.store.Change(ctx, spaceID, func(tx *reviews.Tx) error { return tx.DropAll() })
}

// Count returns how many files need review in a space.
func (r *Reviews) Count(spaceID string) (n int, err error) {
	ctx := r.background.ctx
	err = r.store.View(ctx, spaceID, func(tx *reviews.Tx) (err error) {
		n, err = tx.CountFiles()
		return err
	})
	return n, err
}

// background is work that outlives the calls that started it.
type background struct {
	ctx   context.Context //nolint:containedctx // of the work; canceled by close
	stop  context.CancelFunc
	tasks sync.WaitGroup
}

// newBackground returns a background with the values of ctx. It isn't canceled with ctx.
func newBackground(ctx context.Context) *background {
	b := &background{}
	b.ctx, b.stop = context.WithCancel(context.WithoutCancel(ctx))
	return b
}

// close cancels the work and waits for it, at most for grace. It reports whether all work has ended.
func (b *background) close(grace time.Duration) bool {
	b.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.tasks.Wait()
	}()
	wait := time.NewTimer(grace)
	defer wait.Stop()
	select {
	case <-done:
		return true
	case <-wait.C:
		return false
	}
}
