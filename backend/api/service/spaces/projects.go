package spaces

import (
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/api/service/jobs"
	"weft/backend/git/repo"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// projects finds the projects of folders, one folder at a time.
type projects struct {
	store   *store.Store
	work    *jobs.Work
	log     zerolog.Logger
	own     func(folder string) bool // reports whether Weft made the folder for a space
	changed func(spaceID string)

	mu     sync.Mutex
	asked  map[string]bool // folders in the queue, and those whose lookup failed
	queue  []string
	active bool
}

// slowDisk is the time limit for one folder's lookup. Only a disk that doesn't respond takes longer.
const slowDisk = 5 * time.Second

// of returns the project of a space if it is known. Otherwise it starts a lookup, after which the space changes.
func (p *projects) of(row spaces.Space, tree *SpaceWorktree) string {
	switch {
	case p.own(row.Folder):
		return ""
	case row.Project != "":
		return row.Project
	}
	p.find(row.Folder)
	if tree != nil {
		return tree.Repository
	}
	return row.Folder
}

// RefreshProjects looks up the projects of all folders again, because repositories may have been created or moved.
func (s *Spaces) RefreshProjects() { s.found.refresh() }

func (p *projects) refresh() {
	folders, err := p.store.Spaces.Folders(p.work.Context())
	if err != nil {
		if p.work.Context().Err() == nil {
			p.log.Warn().Err(err).Msg("the folders of the spaces could not be listed")
		}
		return
	}
	for folder := range folders {
		if !p.own(folder) {
			p.find(folder)
		}
	}
}

// find starts the lookup of a folder's project. It does not block.
func (p *projects) find(folder string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked[folder] {
		return
	}
	p.asked[folder] = true
	p.queue = append(p.queue, folder)
	if !p.active {
		p.active = true
		p.work.Go(p.lookUpAll)
	}
}

// at returns the project of a folder in which a space is being created.
func (p *projects) at(folder string) string {
	if p.own(folder) {
		return ""
	}
	return projectOf(folder)
}

// lookUpAll looks up the folders in the queue, one at a time.
func (p *projects) lookUpAll() {
	for {
		p.mu.Lock()
		if len(p.queue) == 0 || p.work.Context().Err() != nil {
			p.active = false
			p.mu.Unlock()
			return
		}
		folder := p.queue[0]
		p.queue = p.queue[1:]
		p.mu.Unlock()
		p.lookUp(folder)
	}
}

func (p *projects) lookUp(folder string) {
	found := make(chan string, 1)
	go func() { found <- projectOf(folder) }()
	timeout := time.NewTimer(slowDisk)
	defer timeout.Stop()
	var project string
	select {
	case project = <-found:
	case <-timeout.C:
		p.log.Warn().Str("folder", folder).Msg("the disk of a space's folder does not respond")
		return
	case <-p.work.Context().Done():
		return
	}
	if project == "" {
		return // keep the project that it had while its folder existed
	}
	changed, err := p.store.Spaces.SetProject(p.work.Context(), folder, project)
	if err != nil {
		if p.work.Context().Err() == nil {
			p.log.Warn().Err(err).Msg("the project of a folder could not be saved")
		}
		return
	}
	p.mu.Lock()
	delete(p.asked, folder)
	p.mu.Unlock()
	for _, id := range changed {
		p.changed(id)
	}
}

// projectOf returns the project of a folder: the main working tree of its repository, or the folder if it is in none.
// It is "" if the folder is gone.
func projectOf(folder string) string {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return ""
	}
	r, err := repo.Find(real)
	switch {
	case err != nil && !errors.Is(err, repo.ErrUnclear), r == nil, r.Bare():
		return real
	case r.Dir == r.Common || !linked(r):
		return r.Top // a submodule is a separate project
	case filepath.Base(r.Common) == ".git":
		return filepath.Dir(r.Common)
	}
	return r.Common // a bare repository with worktrees
}

// linked reports whether a repository was found through a linked worktree.
func linked(r *repo.Repository) bool {
	return filepath.Dir(filepath.Dir(r.Dir)) == r.Common && filepath.Base(filepath.Dir(r.Dir)) == "worktrees"
}
