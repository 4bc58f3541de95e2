package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/fault"
	"weft/backend/regular"
	"weft/backend/review/snapshots"
	"weft/backend/store"
	"weft/backend/store/reviews"
)

// Error is a failure that a user can act on.
type Error = fault.Error

// Options is what the room needs from outside.
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

// Room holds the reviews of all spaces.
type Room struct {
	opt       Options
	snapshots *snapshots.Store
	ctx       context.Context //nolint:containedctx // the life of the room, for work that outlasts a call
	stop      context.CancelFunc
	tasks     sync.WaitGroup

	noting locks // by space; held while the changes of a space are read and then updated, so that no two updates mix

	mu     sync.Mutex
	places map[string]*place // by folder, links resolved
	spaces map[string]*place // of spaces with a turn in progress
	coming map[string]*turn  // turns whose agent was not told yet, by run
}

// Open opens what is kept in opt.DataDir. Call [Room.Recover] before anything else.
func Open(ctx context.Context, opt Options) (*Room, error) {
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
	r := &Room{opt: opt, snapshots: kept, places: map[string]*place{}, spaces: map[string]*place{}, coming: map[string]*turn{}}
	r.ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	return r, nil
}

// closeGrace is how long a disk that does not answer may hold up the end of the app.
const closeGrace = 10 * time.Second

// Close waits for what is under way and lets go of the files.
func (r *Room) Close() error {
	r.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.tasks.Wait()
	}()
	wait := time.NewTimer(closeGrace)
	defer wait.Stop()
	select {
	case <-done:
		return r.snapshots.Close()
	case <-wait.C:
		return errors.New("a folder doesn't answer; what its last turn changed is looked for at the next start")
	}
}

// Warm looks at the folder of a space before its first turn needs it. It does not block.
func (r *Room) Warm(spaceID string) {
	r.tasks.Go(func() {
		p, err := r.place(r.ctx, spaceID)
		if err != nil {
			return // its first turn will say so
		}
		p.do(func(ctx context.Context) {
			if err := p.scan(ctx); err != nil && ctx.Err() == nil {
				r.opt.Log.Warn().Err(err).Str("space", spaceID).Msg("the folder could not be looked at")
			}
		})
	})
}

// Tidy forgets what nobody can ask for any more: old turns, folders of spaces that are gone, bytes that
// nothing names. It is for a quiet moment.
func (r *Room) Tidy(ctx context.Context, folders []string) error {
	used := map[string]bool{}
	err := r.opt.Store.Reviews.Prune(ctx, keptTurns, func(raw []byte) {
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
	return r.snapshots.Prune(ctx, known, used)
}

// keptTurns is to how many turns back a space can be undone.
const keptTurns = 500

// Forget drops the review of a space, for instance because it works in another folder from now on.
func (r *Room) Forget(ctx context.Context, spaceID string) error {
	return r.opt.Store.Reviews.Change(ctx, spaceID, func(tx *reviews.Tx) error { return tx.DropAll() })
}

func (r *Room) now() int64 { return r.opt.Now().UnixMilli() }

// place returns the place of a space's folder.
func (r *Room) place(ctx context.Context, spaceID string) (*place, error) {
	r.mu.Lock()
	p := r.spaces[spaceID]
	r.mu.Unlock()
	if p != nil {
		return p, nil
	}
	dir, err := r.opt.Folder(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	return r.placeOf(ctx, dir)
}

// inMemory returns the place of a space if someone works there, nil otherwise.
func (r *Room) inMemory(ctx context.Context, spaceID string) *place {
	dir, err := r.opt.Folder(ctx, spaceID)
	if err != nil {
		return nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.places[real]
}

func (r *Room) placeOf(ctx context.Context, dir string) (*place, error) {
	folder, err := r.snapshots.Folder(ctx, dir)
	if err != nil {
		return nil, &Error{Code: "folder_not_found", Message: fmt.Sprintf("The folder %s can't be opened.", dir), Err: err}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.places[folder.Dir()]
	if p == nil {
		p = &place{r: r, folder: folder, turns: map[string]*turn{}, claims: map[string]map[string]bool{}}
		r.places[folder.Dir()] = p
		r.forgetIdle(p)
	}
	return p, nil
}

// maxIdle is how many folders without a turn are kept in memory.
const maxIdle = 1

// forgetIdle drops what is known of folders that nobody works in. The mutex is held.
func (r *Room) forgetIdle(but *place) {
	idle := len(r.places) - maxIdle
	for dir, p := range r.places {
		if idle <= 0 {
			return
		}
		if p != but && p.idle() {
			delete(r.places, dir)
			r.snapshots.Forget(dir)
			idle--
		}
	}
}

// open opens the folder for one piece of work.
func (p *place) open() (*os.Root, error) {
	root, err := regular.OpenRoot(p.folder.Dir())
	if err != nil {
		return nil, &Error{Code: "folder_not_found", Message: fmt.Sprintf("The folder %s can't be opened.", p.folder.Dir()), Err: err}
	}
	return root, nil
}
