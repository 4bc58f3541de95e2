// Package finder does fuzzy search for files and folders in a space's folder.
//
// It keeps an index per folder, built in the background from git's file list, or else by a walk that
// respects .gitignore. It guarantees:
//
//   - Confinement: all results are in the folder, even through symbolic links. Links are listed but
//     not followed.
//   - Ignored files are found only by their exact path.
//   - Results exist: files that were deleted since the index was built are left out.
//   - Bounded memory: a few indexes at a time, each with a bounded number of entries. The least
//     recently used one is evicted first, and all of them after some idle time.
//
// A query refreshes an index that is too old. Meanwhile the old one is used, unless a build takes only
// milliseconds or nothing matches in the old one. Nothing runs between queries.
package finder

import (
	"context"
	"errors"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"weft/backend/files/regular"
)

// Limits.
const (
	maxIndexes = 4
	// MaxEntries is the maximum number of files and folders in an index.
	MaxEntries = 300_000
	idleAfter  = 10 * time.Minute // all indexes are dropped after this time without a query
	maxQuery   = 256              // characters
	maxLimit   = 100
	minAge     = 500 * time.Millisecond // an index is refreshed after this time,
	ageFactor  = 20                     // but not before this multiple of its build time
	quick      = 30 * time.Millisecond  // queries wait for builds that take no longer than this

	// The same after a query without matches, because the file may be new.
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
	// Partial means that the folder has more entries than an index can hold.
	Partial bool `json:"partial"`
}

// Finder holds the indexes. Its zero value is not usable; see [New].
type Finder struct {
	now func() time.Time

	mu      sync.Mutex
	folders map[string]*asked
	idle    *time.Timer
	closed  bool
	ctx     context.Context //nolint:containedctx // the life of the finder, for builds that outlast a query
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// asked is a folder that was queried. The finder's mutex guards its fields.
type asked struct {
	index    *index
	built    time.Time
	took     time.Duration
	last     time.Time
	building chan struct{} // closed at the end of the current build; nil if there is none
	err      error         // of the last build
}

// New returns a finder without indexes.
func New(now func() time.Time) *Finder {
	f := &Finder{now: now, folders: map[string]*asked{}}
	f.idle = time.AfterFunc(idleAfter, f.clear)
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// closeGrace is how long an unresponsive disk may delay [Finder.Close].
const closeGrace = 5 * time.Second

// Close cancels all builds and waits for them, but at most 5 s in case the disk doesn't respond.
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

// Find returns at most limit files and folders of dir that match query. It blocks while the first
// index of dir is built, or a new one because nothing matches, or until ctx ends.
func (f *Finder) Find(ctx context.Context, dir, query string, limit int) (Result, error) {
	ix, root, err := f.open(ctx, dir)
	if err != nil {
		return Result{}, err
	}
	defer root.Close()
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
		// A file that changed after the build may be new rather than ignored.
		exact.Ignored = !ix.has(exact.Path) && changed.Before(ix.built)
		res.Files = append(res.Files, exact)
	}
	// Some may have been deleted, or lead out of the folder.
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

// Exact returns the file or folder of dir with exactly this path, if it exists. It needs no index.
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

// named returns the file or folder whose path is query, and its modification time.
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

// Named returns the paths of up to 20 files of dir with the name base. It blocks like [Finder.Find].
func (f *Finder) Named(ctx context.Context, dir, base string) ([]string, error) {
	ix, root, err := f.open(ctx, dir)
	if err != nil {
		return nil, err
	}
	_ = root.Close()
	return ix.named(base, 20), nil
}

// open opens the folder that is at dir now, and returns its index. The caller must close the root.
func (f *Finder) open(ctx context.Context, dir string) (*index, *os.Root, error) {
	ix, err := f.indexOf(ctx, dir, false, nil)
	if err != nil {
		return nil, nil, err
	}
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	if info, err := root.Stat("."); err == nil && !os.SameFile(info, ix.folder) { // another folder was there
		if ix, err = f.indexOf(ctx, dir, false, ix); err != nil {
			_ = root.Close()
			return nil, nil, err
		}
	}
	return ix, root, nil
}

// indexOf returns the index of dir, and starts a new build if it is old. If missed is set, because a query had no
// matches, it rebuilds sooner and waits for the build. It never returns but, which is the index of a folder that was
// replaced.
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

// clear drops all indexes that aren't being built.
func (f *Finder) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for dir, d := range f.folders {
		if d.building == nil {
			delete(f.folders, dir)
		}
	}
}

// forget drops the least recently used indexes beyond maxIndexes. The caller holds f.mu.
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
