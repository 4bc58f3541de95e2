// Package finder finds files and folders of a space's folder by what a user types of their names.
//
// It keeps an index per folder, built in the background from what git lists, or else by a walk that
// honors .gitignore. It promises:
//
//   - Confinement. What it answers is in the folder, also through symbolic links; links are listed
//     and not followed.
//   - Ignored files are found only by their exact path.
//   - What it answers is there: a file that has gone since the index was built is left out.
//   - Bounded memory: a few indexes at a time, each of a bounded number of entries. The least
//     recently asked one goes first, and all of them when nobody has asked for a while.
//
// An index is refreshed when it is asked and has grown old; the old one answers meanwhile, unless a
// new one is a matter of milliseconds or nothing fits in the old one. Nothing runs while nobody asks.
package finder

import (
	"context"
	"errors"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"weft/backend/regular"
)

// The bounds.
const (
	maxIndexes = 4
	// MaxEntries is how many files and folders an index has at most.
	MaxEntries = 300_000
	idleAfter  = 10 * time.Minute // without a question all indexes go
	maxQuery   = 256              // characters
	maxLimit   = 100
	minAge     = 500 * time.Millisecond // of an index before it is refreshed
	ageFactor  = 20                     // and this many times as long as it took to build
	quick      = 30 * time.Millisecond  // an index that takes no longer is waited for

	// The same where nothing has fitted: what is looked for may have come since.
	minAgeMissed    = 100 * time.Millisecond
	ageFactorMissed = 2
)

// Match is a file or folder whose path fits.
type Match struct {
	Path    string `json:"path"` // slash-separated, relative to the folder; a folder ends with a slash
	Dir     bool   `json:"dir"`
	Ignored bool   `json:"ignored"` // git ignores it, or it is of a folder that is never looked into
	Size    int64  `json:"size"`    // bytes, of a file
	At      []int  `json:"at"`      // the characters that the query matched, as indexes of code points
}

// Result is what a query has found, best first.
type Result struct {
	Files []Match `json:"files"`
	// Partial says that the folder has more than an index holds.
	Partial bool `json:"partial"`
}

// Finder holds the indexes. Its zero value is not usable; see [New].
type Finder struct {
	now func() time.Time

	mu      sync.Mutex
	folders map[string]*asked
	idle    *time.Timer
	closed  bool
	ctx     context.Context //nolint:containedctx // the life of the finder, for work that outlasts a question
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// asked is a folder that was asked about. Its fields are guarded by the finder's mutex.
type asked struct {
	index    *index
	built    time.Time
	took     time.Duration
	last     time.Time
	building chan struct{} // closed when the build that is under way has ended, nil if there is none
	err      error         // of the last build
}

// New makes a finder without indexes.
func New(now func() time.Time) *Finder {
	f := &Finder{now: now, folders: map[string]*asked{}}
	f.idle = time.AfterFunc(idleAfter, f.clear)
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// closeGrace is how long a disk that doesn't respond may hold up the end of the app.
const closeGrace = 5 * time.Second

// Close ends what is being built and waits for it, but not for a disk that doesn't respond.
func (f *Finder) Close() {
	f.mu.Lock()
	f.closed = true
	f.idle.Stop()
	f.mu.Unlock()
	f.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.tasks.Wait()
	}()
	wait := time.NewTimer(closeGrace)
	defer wait.Stop()
	select {
	case <-done:
	case <-wait.C:
	}
}

var errClosed = errors.New("the finder is closed")

// Find returns at most limit files and folders of dir that fit query. It blocks while the first
// index of dir is built, or a new one where nothing fits, or until ctx ends.
func (f *Finder) Find(ctx context.Context, dir, query string, limit int) (Result, error) {
	ix, err := f.indexOf(ctx, dir, false, nil)
	if err != nil {
		return Result{}, err
	}
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return Result{}, err
	}
	defer root.Close()
	if info, err := root.Stat("."); err == nil && !os.SameFile(info, ix.folder) { // another folder was there
		if ix, err = f.indexOf(ctx, dir, false, ix); err != nil {
			return Result{}, err
		}
	}
	if limit < 1 || limit > maxLimit {
		limit = maxLimit / 2
	}
	query = strings.TrimPrefix(query, "./")
	if runes := []rune(query); len(runes) > maxQuery {
		query = string(runes[:maxQuery])
	}
	res := ix.fitting(root, query, limit)
	if len(res.Files) > 0 || query == "" {
		return res, nil
	}
	if newer, err := f.indexOf(ctx, dir, true, nil); err == nil && newer != ix {
		return newer.fitting(root, query, limit), nil
	}
	return res, nil
}

// fitting returns the entries that match query and exist.
func (ix *index) fitting(root *os.Root, query string, limit int) Result {
	res := Result{Files: make([]Match, 0, limit), Partial: ix.partial}
	exact, changed, found := named(root, query)
	if found {
		// What came after the index was built is not in it for that reason.
		exact.Ignored = !ix.has(exact.Path) && changed.Before(ix.built)
		res.Files = append(res.Files, exact)
	}
	// Some may have gone, or lead out of the folder.
	for _, m := range ix.find(query, 2*limit) {
		if len(res.Files) == limit {
			break
		}
		if found && strings.TrimSuffix(m.Path, "/") == strings.TrimSuffix(exact.Path, "/") {
			res.Files[0].At = m.At
			continue
		}
		info, err := root.Stat(strings.TrimSuffix(m.Path, "/"))
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		if m.Dir = info.IsDir(); m.Dir {
			m.Path = strings.TrimSuffix(m.Path, "/") + "/"
		} else {
			m.Size = info.Size()
		}
		res.Files = append(res.Files, m)
	}
	return res
}

// Exact returns the file or folder of dir that has exactly this path, if there is one. It needs no index.
func Exact(dir, path string) (Result, error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return Result{}, err
	}
	defer root.Close()
	res := Result{Files: []Match{}}
	if m, _, found := named(root, path); found {
		res.Files = append(res.Files, m)
	}
	return res, nil
}

// named returns the file or folder that query names exactly, and when it was changed.
func named(root *os.Root, query string) (Match, time.Time, bool) {
	rel := path.Clean(query)
	if query == "" || rel == "." || strings.HasPrefix(rel, "../") || rel == ".." || path.IsAbs(rel) {
		return Match{}, time.Time{}, false
	}
	info, err := root.Stat(rel)
	switch {
	case err != nil:
		return Match{}, time.Time{}, false
	case info.IsDir():
		return Match{Path: rel + "/", Dir: true, At: []int{}}, info.ModTime(), true
	case info.Mode().IsRegular() && !strings.HasSuffix(query, "/"):
		return Match{Path: rel, Size: info.Size(), At: []int{}}, info.ModTime(), true
	}
	return Match{}, time.Time{}, false
}

// Named returns the paths of the files of dir that are called base, a few of them at most.
func (f *Finder) Named(ctx context.Context, dir, base string) ([]string, error) {
	ix, err := f.indexOf(ctx, dir, false, nil)
	if err != nil {
		return nil, err
	}
	return ix.named(base, 20), nil
}

// indexOf returns the index of dir, starting to build it again if it is old. Where nothing was found in it, that is sooner, and waited for. But is an
// index that isn't returned, because it is of another folder.
func (f *Finder) indexOf(ctx context.Context, dir string, missed bool, but *index) (*index, error) {
	for {
		f.mu.Lock()
		if f.closed {
			f.mu.Unlock()
			return nil, errClosed
		}
		d := f.folders[dir]
		if d == nil {
			d = &asked{}
			f.folders[dir] = d
		}
		now := f.now()
		d.last = now
		f.idle.Reset(idleAfter)
		f.forget()
		old := now.Sub(d.built) >= max(minAge, ageFactor*d.took)
		if missed {
			old = now.Sub(d.built) >= max(minAgeMissed, ageFactorMissed*d.took)
		}
		if but != nil && d.index == but {
			d.index = nil
		}
		if d.building == nil && (d.index == nil || old) {
			d.building = make(chan struct{})
			f.tasks.Go(func() { f.build(dir, d) })
		}
		ix, building, took := d.index, d.building, d.took
		f.mu.Unlock()
		if ix != nil && (building == nil || took > quick && !missed) {
			return ix, nil
		}
		select {
		case <-building:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		f.mu.Lock()
		ix, err := d.index, d.err
		f.mu.Unlock()
		if ix != nil || err != nil {
			return ix, err
		}
	}
}

// clear lets go of every index.
func (f *Finder) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for dir, d := range f.folders {
		if d.building == nil {
			delete(f.folders, dir)
		}
	}
}

// forget lets go of the index that was not asked for longest. The mutex is held.
func (f *Finder) forget() {
	for len(f.folders) > maxIndexes {
		var last string
		for dir, d := range f.folders {
			if d.building == nil && (last == "" || d.last.Before(f.folders[last].last)) {
				last = dir
			}
		}
		if last == "" {
			return
		}
		delete(f.folders, last)
	}
}

func (f *Finder) build(dir string, d *asked) {
	start := f.now()
	ix, err := build(f.ctx, dir, start)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		d.index = ix
	}
	d.err, d.built = err, f.now()
	d.took = d.built.Sub(start)
	close(d.building)
	d.building = nil
}
