package repo

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits for a repository's configuration.
const (
	maxFiles   = 32 // including included files
	maxEntries = 10_000
)

// Config returns the repository's own configuration: that of the repository and of this worktree, with all included
// files, whatever their conditions. Settings are in the order of the files; the last one with a key applies.
func (r *Repository) Config() ([]Entry, error) {
	if !r.read {
		r.read = true
		c := &reader{seen: map[string]bool{}}
		for _, path := range []string{filepath.Join(r.Common, "config"), filepath.Join(r.Common, "config.worktree"), filepath.Join(r.Dir, "config.worktree")} {
			if r.err = c.file(path); r.err != nil {
				return nil, r.err
			}
		}
		r.entries, r.files = c.entries, slices.Collect(maps.Keys(c.seen))
	}
	return r.entries, r.err
}

// Movable reports whether files of the working tree decide what git runs, so that changing them changes it: a part of
// the configuration, or the hooks folder.
func (r *Repository) Movable() (bool, error) {
	entries, err := r.Config()
	if err != nil {
		return false, err
	}
	below := func(dir, path string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	}
	moves := func(path string) bool {
		return !below(r.Dir, path) && !below(r.Common, path) && (r.Bare() || below(r.Top, path))
	}
	return slices.ContainsFunc(r.files, moves) || slices.ContainsFunc(entries, func(e Entry) bool { return e.Key == "core.hookspath" }), nil
}

type reader struct {
	seen    map[string]bool
	entries []Entry
}

func (c *reader) file(path string) error {
	if c.seen[path] {
		return nil
	}
	if len(c.seen) == maxFiles {
		return ErrUnclear
	}
	c.seen[path] = true
	text, err := readFile(path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return ErrUnclear
	}
	list, err := parse(text)
	if err != nil {
		return err
	}
	if len(c.entries)+len(list) > maxEntries {
		return ErrUnclear
	}
	for _, e := range list {
		e.File = path
		c.entries = append(c.entries, e)
		if section, _, name := e.Split(); name == "path" && (section == "include" || section == "includeif") {
			if err := c.include(path, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *reader) include(file string, e Entry) error {
	path := e.Value
	switch {
	case !e.Set:
		return ErrUnclear
	case strings.HasPrefix(path, "~/"):
		home, err := os.UserHomeDir()
		if err != nil {
			return ErrUnclear
		}
		path = from(home, path[2:])
	case strings.HasPrefix(path, "~"), strings.HasPrefix(path, "%("):
		return ErrUnclear
	default:
		path = from(file[:strings.LastIndexByte(filepath.ToSlash(file), '/')], path)
	}
	return c.file(path)
}
