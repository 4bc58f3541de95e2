package agent

import (
	"context"
	"debug/buildinfo"
	"strings"
)

// Found is a published agent that is installed here.
type Found struct {
	Entry Entry
	Path  string // absolute path of the program
}

// Discover looks for the catalog's agents on this machine, in the catalog's
// order. It reads folders and asks the login shell once (3 s at most), so call it
// off the start-up path. When ctx ends it gives what it has found so far.
func Discover(ctx context.Context, paths *Paths) []Found {
	var found []Found
	dirs := paths.Dirs(ctx)
	for _, entry := range readCatalog() {
		if ctx.Err() != nil {
			break
		}
		for _, name := range entry.commands() {
			path := lookIn(dirs, name)
			if path != "" && !isOtherProgram(entry, path) {
				found = append(found, Found{Entry: entry, Path: path})
				break
			}
		}
	}
	return found
}

// isOtherProgram reports whether the file is known to be something else that has
// the same name: goose is also a popular database migration tool.
func isOtherProgram(entry Entry, path string) bool {
	if entry.NotGoModule == "" {
		return false
	}
	info, err := buildinfo.ReadFile(path)
	return err == nil && strings.HasPrefix(info.Main.Path, entry.NotGoModule)
}
