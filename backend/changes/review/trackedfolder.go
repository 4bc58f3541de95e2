package review

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"weft/backend/base/fault"
	"weft/backend/base/pathname"
	"weft/backend/changes/review/snapshots"
	"weft/backend/files/regular"
)

// trackedFolder is a folder with turns in progress, of one or more spaces. Its jobs run one at a time, on a goroutine
// that ends when none are left.
type trackedFolder struct {
	folder     *snapshots.Folder
	recorder   *recorder
	background *background

	files locks // by path; held while a file is read and written

	mu      sync.Mutex                 // protects the fields below, and the fields tools and scans of the turns
	turns   map[string]*turn           // in progress, by run; one that is ending may overlap the next one
	claims  map[string]map[string]bool // for each path, the spaces whose agents named it during their turns
	jobs    []func(context.Context)
	working bool
	users   int   // turns that are about to begin
	scanMs  int64 // duration of the last scan
}

// newTrackedFolder returns a trackedFolder without turns.
func newTrackedFolder(folder *snapshots.Folder, rec *recorder, b *background) *trackedFolder {
	return &trackedFolder{folder: folder, recorder: rec, background: b, turns: map[string]*turn{}, claims: map[string]map[string]bool{}}
}

// open opens the folder. The caller must close the root.
func (p *trackedFolder) open() (*os.Root, error) {
	root, err := regular.OpenRoot(p.folder.Dir())
	if err != nil {
		return nil, fault.New("folder_not_found", "The folder {{folder}} can't be opened.", p.folder.Dir()).Because(err)
	}
	return root, nil
}

// idle reports whether the folder has no turns, also none that are about to begin, and no jobs.
func (p *trackedFolder) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.turns) == 0 && !p.working && p.users == 0
}

// enqueue queues a job. Jobs run in order.
func (p *trackedFolder) enqueue(job func(ctx context.Context)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs = append(p.jobs, job)
	if p.working {
		return
	}
	p.working = true
	p.background.tasks.Go(func() {
		for {
			p.mu.Lock()
			if len(p.jobs) == 0 || p.background.ctx.Err() != nil {
				p.working = false
				p.mu.Unlock()
				return
			}
			job := p.jobs[0]
			p.jobs = slices.Delete(p.jobs, 0, 1)
			p.mu.Unlock()
			job(p.background.ctx)
		}
	})
}

// errReplaced reports that the folder at the path is no longer the one that was read.
var errReplaced = errors.New("the folder was replaced while it was read")

// scan finds changes on disk and records them for the turns in progress. It returns the folder that it scanned.
// Errors: errReplaced.
func (p *trackedFolder) scan(ctx context.Context) (fs.FileInfo, error) {
	root, err := p.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(".")
	if err != nil {
		return nil, err
	}
	start := time.Now()
	tell := func(list []snapshots.Change) error { return p.reportChanges(info, list, nil) }
	err = p.folder.ScanFolders(ctx, root, tell, tell)
	p.mu.Lock()
	p.scanMs = time.Since(start).Milliseconds()
	p.mu.Unlock()
	return info, err
}

// relative returns a path of an agent relative to the folder, with symbolic links resolved. ok is false if it is
// outside of the folder.
func (p *trackedFolder) relative(file string) (rel string, ok bool) {
	file, ok = pathname.From(p.folder.Dir(), file)
	if !ok {
		return "", false
	}
	file = resolve(filepath.Clean(file))
	rel, err := filepath.Rel(p.folder.Dir(), file)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
