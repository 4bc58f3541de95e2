// Package opencode reads what OpenCode keeps of its conversations: a SQLite database, with messages and their parts,
// or, as version 2 writes it, with whole messages; and the folders of JSON files that older versions have left.
//
// The database is never opened where it is, as SQLite would lock it: it is copied with its write-ahead log, and the
// copy is read.
package opencode

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/base/scan"
	"weft/backend/files/regular"
	"weft/backend/interchange/sessionfiles"
)

// Program is OpenCode. It must be closed after use.
type Program struct{ copies copies }

// ID implements [sessionfiles.Program].
func (*Program) ID() string { return "opencode" }

// Name implements [sessionfiles.Program].
func (*Program) Name() string { return sessionfiles.NameOf("opencode") }

// Close deletes the copies of databases.
func (p *Program) Close() error { return p.copies.close() }

var _ io.Closer = (*Program)(nil)

// Find implements [sessionfiles.Program].
func (p *Program) Find(ctx context.Context, env sessionfiles.Env) iter.Seq2[sessionfiles.Source, error] {
	return func(yield func(sessionfiles.Source, error) bool) {
		data := env.Getenv("XDG_DATA_HOME")
		if !filepath.IsAbs(data) {
			data = filepath.Join(env.Home, ".local", "share")
		}
		root := filepath.Join(data, "opencode")
		files, err := sessionfiles.Folder(root)
		if err != nil {
			yield(sessionfiles.Source{Program: "opencode", Path: root}, err)
			return
		}
		seen := map[string]bool{}
		for _, f := range files {
			if name := f.Name(); !strings.HasPrefix(name, "opencode") || !strings.HasSuffix(name, ".db") || f.IsDir() {
				continue
			}
			path := filepath.Join(root, f.Name())
			list, err := p.sessions(ctx, path)
			if err != nil && !yield(sessionfiles.Source{Program: "opencode", Path: path}, err) {
				return
			}
			for _, src := range list {
				if seen[src.Session] {
					continue
				}
				seen[src.Session] = true
				if !yield(src, nil) {
					return
				}
			}
		}
		// What was moved into the database is left behind as files.
		findFiles(ctx, filepath.Join(root, "storage"), seen, yield)
	}
}

// findFiles yields the conversations that are kept as files.
func findFiles(ctx context.Context, storage string, seen map[string]bool, yield func(sessionfiles.Source, error) bool) {
	sessionfiles.Projects(ctx, "opencode", filepath.Join(storage, "session"), "", func(src sessionfiles.Source, err error) bool {
		if err != nil {
			return yield(src, err)
		}
		id, ok := strings.CutSuffix(filepath.Base(src.Path), ".json")
		if !ok || seen[id] {
			return true
		}
		seen[id] = true
		src.Session = id
		text, err := readSmall(src.Path)
		if err != nil {
			return yield(src, err)
		}
		o := sessionfiles.Members(text)
		src.Title, src.Folder, src.Parent = titleOf(o.Text("title")), o.Text("directory"), o.Text("parentID")
		time := sessionfiles.Members(o["time"])
		if n, ok := scan.Integer(time["updated"]); ok {
			src.Changed = max(src.Changed, int64(n))
		}
		return yield(src, nil)
	})
}

// titleOf returns a title, "" for one that says nothing.
func titleOf(title string) string {
	for _, none := range []string{"New session - ", "Child session - "} {
		if strings.HasPrefix(title, none) {
			return ""
		}
	}
	return title
}

// readSmall reads a JSON file that isn't large.
func readSmall(path string) ([]byte, error) {
	text, err := sessionfiles.ReadSmall(path, sessionfiles.MaxEntry)
	if errors.Is(err, regular.ErrTooLarge) {
		return nil, errLarge
	}
	if err != nil {
		return nil, err
	}
	if text, _ = sessionfiles.UTF8(text); !scan.Valid(text) {
		return nil, sessionfiles.ErrNotJSON
	}
	return text, nil
}

var errLarge = &sessionfiles.FileError{Message: fault.Text("The file is too large.")}

// names returns the names of the JSON files of a folder, sorted, without their extension.
func names(dir string) ([]string, error) {
	files, err := os.ReadDir(sessionfiles.Inside(dir))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, sessionfiles.Unreadable(err)
	}
	var list []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".json"); ok {
			list = append(list, name)
		}
	}
	return list, nil
}
