package review

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/fault"
	"weft/backend/review/snapshots"
	"weft/backend/store"
	"weft/backend/store/reviews"
)

// Error is a failure that a user can act on.
type Error = fault.Error

// Options is what [Reviews] needs from outside.
type Options struct {
	Store   *store.Store
	DataDir string
	// Folder returns the folder of a space.
	Folder func(ctx context.Context, spaceID string) (string, error)
	// OnChange is called when what needs review in a space may have changed. It must not block.
	OnChange func(spaceID string)
	// OnFound is called with files of a space's folder that were found on disk to have changed during a run, nil: nothing is. Alone is true
	// where no other run works in the folder, or the run's agent has named the files. It must not block.
	OnFound func(spaceID, runID string, paths []string, alone bool)
	Log     zerolog.Logger
	Now     func() time.Time
	// Wait is how long a prompt waits for the look at the folder, 2 s if it is 0.
	Wait time.Duration
}

// Reviews shows what agents changed in the folders of all spaces, and accepts, rejects and undoes it. Its methods may be
// called from any goroutine.
type Reviews struct {
	// Watcher notes what turns change.
	Watcher *Watcher
	// Commits makes commits of what was accepted.
	Commits *Commits

	log        zerolog.Logger
	store      *reviews.Reviews
	contents   *contents
	folders    *folders
	recorder   *recorder
	background *background
}

// Open opens what is kept in opt.DataDir. Call [Reviews.Recover] before anything else.
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

// closeGrace is how long a disk that does not answer may hold up the end of the app.
const closeGrace = 10 * time.Second

// Close waits for what is under way and lets go of the files.
func (r *Reviews) Close() error {
	if !r.background.close(closeGrace) {
		return errors.New("a folder doesn't answer; what its last turn changed is looked for at the next start")
	}
	return r.contents.snapshots.Close()
}

// Tidy forgets what nobody can ask for any more: old turns, folders of spaces that are gone, bytes that
// nothing names. It is for a quiet moment.
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
			known[dir] = true // on a disk that is not there now
		}
	}
	return r.contents.snapshots.Prune(ctx, known, used)
}

// keptTurns is to how many turns back a space can be undone.
const keptTurns = 500

// Forget drops the review of a space, for instance because it works in another folder from now on.
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

// background is the work that outlasts the calls that asked for it.
type background struct {
	ctx   context.Context //nolint:containedctx // of the work: it ends when close is called
	stop  context.CancelFunc
	tasks sync.WaitGroup
}

// newBackground returns a background with the values of ctx, which does not end with ctx.
func newBackground(ctx context.Context) *background {
	b := &background{}
	b.ctx, b.stop = context.WithCancel(context.WithoutCancel(ctx))
	return b
}

// close ends the work and waits for it, at most for grace. It reports whether all of it has ended.
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
