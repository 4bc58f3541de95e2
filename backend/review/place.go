package review

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"weft/backend/review/snapshots"
)

// place is a folder in which turns of one or more spaces continue. Its work is done one piece after the
// other, on a goroutine that is there while there is some.
type place struct {
	r      *Room
	folder *snapshots.Folder

	files locks // by path, held while a file is looked at and written, so that nobody comes between

	mu      sync.Mutex
	turns   map[string]*turn           // in progress, by run; one that ends may overlap the next one
	claims  map[string]map[string]bool // which spaces named a path in their turn
	jobs    []func(context.Context)
	working bool
	users   int
	scanMs  int64 // how long the last scan took
}

// turn is a run in progress.
type turn struct {
	place *place
	space string
	runID string
	id    int64        // in the store
	late  bool         // the agent was told before the whole folder was seen
	since int64        // when it was told, unix ns
	pass  atomic.Int64 // scans from this one on saw the folder as the prompt found it
	tools map[string]*tool
	told  map[string]snapshots.Change // the last change of each file; under Room.noting of its space
	scans bool                        // a scan is asked for
}

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
	p.r.tasks.Go(func() {
		for {
			p.mu.Lock()
			if len(p.jobs) == 0 || p.r.ctx.Err() != nil {
				p.working = false
				p.mu.Unlock()
				return
			}
			job := p.jobs[0]
			p.jobs = slices.Delete(p.jobs, 0, 1)
			p.mu.Unlock()
			job(p.r.ctx)
		}
	})
}

// scan sees what has changed on disk and notes it for the turns in progress.
func (p *place) scan(ctx context.Context) error {
	root, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	start := time.Now()
	err = p.folder.Scan(ctx, root, func(list []snapshots.Change) error { return p.tell(list, nil) })
	p.mu.Lock()
	p.scanMs = time.Since(start).Milliseconds()
	p.mu.Unlock()
	return err
}

// relative returns a path that an agent spelled as it is seen from the folder, with links
// resolved; ok is false if it is not in there.
func (p *place) relative(file string) (rel string, ok bool) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.folder.Dir(), file)
	}
	file = resolve(filepath.Clean(file))
	rel, err := filepath.Rel(p.folder.Dir(), file)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// resolve follows the links of what is there of a path.
func resolve(file string) string {
	rest := ""
	for dir := file; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return file
		}
		if _, err := os.Lstat(dir); err == nil {
			return filepath.Join(resolve(up), filepath.Base(dir), rest) // a link that leads nowhere
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = up
	}
}

// overLink reports whether a folder above rel is a link by now: nothing is written over it.
func overLink(root *os.Root, rel string) bool {
	for i, c := range rel {
		if c != '/' {
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(rel[:i]))
		if err != nil {
			return false
		}
		if !info.IsDir() {
			return true
		}
	}
	return !validPath(rel)
}

// validPath reports whether a path is one that the room itself has made.
func validPath(rel string) bool {
	return rel != "" && path.Clean(rel) == rel && filepath.IsLocal(filepath.FromSlash(rel)) && !strings.HasPrefix(rel, "../")
}
