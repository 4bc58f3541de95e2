package agent

import (
	"bytes"
	"context"
	"io"

	"weft/backend/files/regular"
)

// Found is a published agent that is installed on this machine.
type Found struct {
	Entry Entry
	Path  string // absolute path of the program
}

// Discover finds the catalog's agents on this machine, in the catalog's order. It reads folders and runs the login
// shell once (for at most 3 s), so don't call it during startup. If ctx ends, it returns what it has found so far.
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

// isOtherProgram reports whether the file is a known other program with the same name: goose is also a popular
// database migration tool.
func isOtherProgram(entry Entry, path string) bool {
	if entry.NotGoModule == "" {
		return false
	}
	return isOfGoModule(path, entry.NotGoModule)
}

// isOfGoModule reports whether the program at path is a command of a Go module, according to the build information
// that the Go linker writes into each program. It searches the file itself, because debug/buildinfo would make Weft
// half a megabyte larger.
func isOfGoModule(path, module string) bool {
	f, _, err := regular.OpenPath(path)
	if err != nil {
		return false
	}
	defer f.Close()
	wanted := []byte("path\t" + module)
	buf := make([]byte, 256<<10)
	kept := 0
	for {
		n, err := io.ReadFull(f, buf[kept:])
		n += kept
		if bytes.Contains(buf[:n], wanted) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(buf, buf[n-len(wanted):])
	}
}
