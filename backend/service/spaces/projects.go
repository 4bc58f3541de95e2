package spaces

import (
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/git/repo"
	"weft/backend/service/background"
	"weft/backend/service/worktrees"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// projects finds out which project a folder belongs to, one folder after the other.
type projects struct {
	store   *store.Store
	work    *background.Work
	log     zerolog.Logger
	own     func(folder string) bool // Weft has made it for a space
	changed func(spaceID string)

	mu     sync.Mutex
	asked  map[string]bool // the folders that are looked up, and those for which that failed
	queue  []string
	active bool
}

// slowDisk is how long the lookup of one folder may take. Longer takes a disk that does not respond.
const slowDisk = 5 * time.Second

// of returns which project a space belongs to, as far as that is known. What is not known yet is looked up, and then the space changes.
func (p *projects) of(row spaces.Space, tree *worktrees.SpaceWorktree) string {
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

// RefreshProjects looks up the projects of all folders again: a repository may have been made or moved since.
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

// find has the project of a folder looked up. It does not block.
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

// at returns the project of a folder that a space is made in.
func (p *projects) at(folder string) string {
	if p.own(folder) {
		return ""
	}
	return projectOf(folder)
}

// lookUpAll looks up one folder of the queue after the other.
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
		return // it stays in the project that it was in while its folder existed
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

// projectOf returns the project of a folder: the working tree that its repository was made with, or the folder if it is in none. It is
// "" where the folder is gone.
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
		return r.Top // of a submodule it is its own
	case filepath.Base(r.Common) == ".git":
		return filepath.Dir(r.Common)
	}
	return r.Common // a bare repository with worktrees
}

// linked reports whether a repository was found by a linked worktree.
func linked(r *repo.Repository) bool {
	return filepath.Dir(filepath.Dir(r.Dir)) == r.Common && filepath.Base(filepath.Dir(r.Dir)) == "worktrees"
}
