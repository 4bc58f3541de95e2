package spaces

import (
	"errors"
	"path/filepath"
	"sync"
	"time"

	"weft/backend/git/repo"
	"weft/backend/service/worktrees"
	"weft/backend/store/spaces"
)

// projects are the folders whose project is being looked up.
type projects struct {
	mu     sync.Mutex
	asked  map[string]bool // also those that were
	queue  []string
	active bool
}

// slowDisk is how long the lookup of one folder may take. Longer takes a disk that does not respond.
const slowDisk = 5 * time.Second

// project returns which project a space belongs to, as far as that is known. What is not known yet is looked up, and then the space changes.
func (s *Spaces) project(row spaces.Space, tree *worktrees.SpaceWorktree) string {
	switch {
	case s.ownsFolder(row.Folder):
		return ""
	case row.Project != "":
		return row.Project
	}
	s.findProjects(row.Folder)
	if tree != nil {
		return tree.Repository
	}
	return row.Folder
}

// RefreshProjects looks up the projects of all folders again: a repository may have been made or moved since.
func (s *Spaces) RefreshProjects() {
	folders, err := s.store.Spaces.Folders(s.work.Context())
	if err != nil {
		if s.work.Context().Err() == nil {
			s.log.Warn().Err(err).Msg("the folders of the spaces could not be listed")
		}
		return
	}
	for folder := range folders {
		if !s.ownsFolder(folder) {
			s.findProjects(folder)
		}
	}
}

// findProjects has the project of a folder looked up, once in a start of Weft. It does not block.
func (s *Spaces) findProjects(folder string) {
	p := &s.found
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		p.asked = map[string]bool{}
	}
	if p.asked[folder] {
		return
	}
	p.asked[folder] = true
	p.queue = append(p.queue, folder)
	if !p.active {
		p.active = true
		s.work.Go(s.lookUpProjects)
	}
}

// projectFor returns the project of a folder that a space is made in.
func (s *Spaces) projectFor(folder string) string {
	if s.ownsFolder(folder) {
		return ""
	}
	return projectOf(folder)
}

// lookUpProjects looks up one folder of the queue after the other.
func (s *Spaces) lookUpProjects() {
	p := &s.found
	for {
		p.mu.Lock()
		if len(p.queue) == 0 || s.work.Context().Err() != nil {
			p.active = false
			p.mu.Unlock()
			return
		}
		folder := p.queue[0]
		p.queue = p.queue[1:]
		p.mu.Unlock()
		s.lookUpProject(folder)
	}
}

func (s *Spaces) lookUpProject(folder string) {
	found := make(chan string, 1)
	go func() { found <- projectOf(folder) }()
	timeout := time.NewTimer(slowDisk)
	defer timeout.Stop()
	var project string
	select {
	case project = <-found:
	case <-timeout.C:
		s.log.Warn().Str("folder", folder).Msg("the disk of a space's folder does not respond")
		return
	case <-s.work.Context().Done():
		return
	}
	if project == "" {
		return // it stays in the project that it was in while its folder existed
	}
	changed, err := s.store.Spaces.SetProject(s.work.Context(), folder, project)
	if err != nil {
		if s.work.Context().Err() == nil {
			s.log.Warn().Err(err).Msg("the project of a folder could not be saved")
		}
		return
	}
	for _, id := range changed {
		s.changed(id)
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
