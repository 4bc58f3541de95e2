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

	"weft/backend/fault"
	"weft/backend/pathname"
	"weft/backend/regular"
	"weft/backend/review/snapshots"
)

// place is a folder in which turns of one or more spaces continue. Its work is done one piece after the
// other, on a goroutine that is there while there is some.
type place struct {
	folder     *snapshots.Folder
	recorder   *recorder
	background *background

	files locks // by path, held while a file is looked at and written, so that nobody comes between

	mu      sync.Mutex                 // protects what follows, and tools and scans of the turns
	turns   map[string]*turn           // in progress, by run; one that ends may overlap the next one
	claims  map[string]map[string]bool // which spaces named a path in their turn
	jobs    []func(context.Context)
	working bool
	users   int   // turns that are about to begin
	scanMs  int64 // how long the last scan took
}

// newPlace returns a place at a folder, without turns.
func newPlace(folder *snapshots.Folder, rec *recorder, b *background) *place {
	return &place{folder: folder, recorder: rec, background: b, turns: map[string]*turn{}, claims: map[string]map[string]bool{}}
}

// open opens the folder for one piece of work.
func (p *place) open() (*os.Root, error) {
	root, err := regular.OpenRoot(p.folder.Dir())
	if err != nil {
		return nil, fault.New("folder_not_found", "The folder {{folder}} can't be opened.", p.folder.Dir()).Because(err)
	}
	return root, nil
}

// idle reports whether nobody works in the folder or is about to.
func (p *place) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.turns) == 0 && !p.working && p.users == 0
}

// do has something done after what was asked for before.
func (p *place) do(job func(ctx context.Context)) {
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

// errReplaced is why a scan ended early: the folder isn't at its path any more.
var errReplaced = errors.New("the folder was replaced during the scan")

// scan sees what has changed on disk and notes it for the turns in progress. It returns which folder it has looked at. Errors: errReplaced.
func (p *place) scan(ctx context.Context) (fs.FileInfo, error) {
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
	tell := func(list []snapshots.Change) error {
		// What goes with the folder is nothing that a turn has deleted.
		if now, err := os.Stat(p.folder.Dir()); err != nil || !os.SameFile(info, now) {
			return errReplaced
		}
		return p.tell(info, list, nil)
	}
	err = p.folder.ScanFolders(ctx, root, tell, tell)
	p.mu.Lock()
	p.scanMs = time.Since(start).Milliseconds()
	p.mu.Unlock()
	return info, err
}

// relative returns a path that an agent spelled as it is seen from the folder, with links
// resolved; ok is false if it is not in there.
func (p *place) relative(file string) (rel string, ok bool) {
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
