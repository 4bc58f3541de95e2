package opencode

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"weft/backend/base/fault"
	"weft/backend/files/regular"
	"weft/backend/interchange/sessionfiles"
)

// copies are copies of databases, each made once.
type copies struct {
	mu   sync.Mutex
	open map[string]*sql.DB // by the path of the original
	dirs []string
}

// get returns a copy of the database at path as it is now, or as it was when it was asked for first. The error is a
// [sessionfiles.FileError].
func (c *copies) get(ctx context.Context, path string) (*sql.DB, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if db := c.open[path]; db != nil {
		return db, nil
	}
	dir, err := os.MkdirTemp("", "weft-import-")
	if err != nil {
		return nil, &sessionfiles.FileError{Message: "Couldn't copy the database: " + err.Error() + ".", Err: err}
	}
	c.dirs = append(c.dirs, dir)
	to := filepath.Join(dir, "copy.db")
	if err := snapshot(ctx, path, to); err != nil {
		return nil, err
	}
	p := filepath.ToSlash(to)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	u := url.URL{Scheme: "file", Path: p, RawQuery: "mode=rw&_pragma=cache_size(-4000)"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, &sessionfiles.FileError{Message: "Couldn't read the database: " + err.Error() + ".", Err: err}
	}
	db.SetMaxOpenConns(4) // messages, their parts, and those of a sub-agent
	if c.open == nil {
		c.open = map[string]*sql.DB{}
	}
	c.open[path] = db
	return db, nil
}

func (c *copies) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, db := range c.open {
		errs = append(errs, db.Close())
	}
	for _, dir := range c.dirs {
		errs = append(errs, os.RemoveAll(dir))
	}
	c.open, c.dirs = nil, nil
	return errors.Join(errs...)
}

// copyStep is after how many bytes a copy looks whether it is still wanted.
const copyStep = 64 << 20

// attempts is how often a database is copied that changes meanwhile.
const attempts = 5

// snapshot copies a database with its write-ahead log. The database file itself only changes when the log is moved into
// it; while it and the beginning of the log stay the same, the copies belong together. What is added to the log
// meanwhile is left out by its checksums.
func snapshot(ctx context.Context, from, to string) error {
	for range attempts {
		before, err := stateOf(from)
		if err != nil {
			return sessionfiles.Unreadable(err)
		}
		if err := copyFile(ctx, from, to); err != nil {
			return err
		}
		if err := copyFile(ctx, from+"-wal", to+"-wal"); err != nil {
			return err
		}
		if after, err := stateOf(from); err == nil && after == before {
			return nil
		}
	}
	return &sessionfiles.FileError{Message: fault.Text("The database changed while it was being read. Close OpenCode and try again.")}
}

// state tells whether a database file or the beginning of its log have changed.
type state struct {
	size, changed int64
	log           [32]byte // its header, whose salt changes whenever it begins again
}

func stateOf(path string) (s state, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	s.size, s.changed = info.Size(), info.ModTime().UnixNano()
	f, _, err := regular.OpenPath(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer f.Close()
	if _, err = io.ReadFull(f, s.log[:]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return s, err
}

// copyFile copies a file. One that isn't there is left out.
func copyFile(ctx context.Context, from, to string) error {
	src, _, err := regular.OpenPath(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return sessionfiles.Unreadable(err)
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return &sessionfiles.FileError{Message: "Couldn't copy the database: " + err.Error() + ".", Err: err}
	}
	for {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, dst.Close())
		}
		// Where the file system can, it shares the blocks instead of copying them.
		_, err := io.CopyN(dst, src, copyStep)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.Join(&sessionfiles.FileError{Message: "Couldn't copy the database: " + err.Error() + ".", Err: err}, dst.Close())
		}
	}
	if err := dst.Close(); err != nil {
		return &sessionfiles.FileError{Message: "Couldn't copy the database: " + err.Error() + ".", Err: err}
	}
	return nil
}
