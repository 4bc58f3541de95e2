package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"weft/backend/base/private"
	"weft/backend/store/db"
	"weft/backend/store/schema"
)

// Exists fails with the code not_found if there is no database in the folder.
func Exists(dir string) error { return there((&File{dir: dir}).Path()) }

func there(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return db.Fail(db.CodeNotFound, "There is no database at {{path}}.", path)
	}
	return nil
}

// Copy writes a snapshot of the database at path to the file at to, which must not exist. Weft may have the database
// open and write to it meanwhile. It blocks for the whole copy; ctx cancels it. A failed copy leaves no file. Error
// codes: not_found, disk_full, damaged, locked, cancelled, io.
func Copy(ctx context.Context, path, to string) (err error) {
	if err := there(path); err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return db.Fail(db.CodeConflict, "{{to}} exists already.", to)
	}
	c, err := db.Dial(path, db.ReadOnly)
	if err != nil {
		return db.Wrap(err, "open the database {{path}}", path)
	}
	defer c.Close()
	if err := private.Create(to); err != nil {
		return db.Wrap(err, "create {{to}}", to)
	}
	defer func() {
		if err != nil {
			removeDB(to)
		}
	}()
	// It writes to the other file only.
	if err := c.Script("PRAGMA query_only=0"); err != nil {
		return db.Wrap(err, "copy the database")
	}
	rows, err := c.Query(ctx, "VACUUM INTO ?", to)
	if err == nil {
		rows.Next()
		err = errors.Join(rows.Err(), rows.Close())
	}
	if ctx.Err() != nil {
		return db.Canceled(ctx.Err())
	}
	return db.Wrap(err, "copy the database")
}

// Content describes a database.
type Content struct {
	Version  int
	Spaces   int
	Messages int
}

// Inspect checks the whole database at path, which nothing else may have open, and describes it. Error codes: damaged,
// newer_version, cancelled, io.
func Inspect(ctx context.Context, path string) (out Content, err error) {
	c, err := db.Dial(path, db.ReadOnly)
	if err != nil {
		return out, db.Wrap(err, "open {{path}}", path)
	}
	defer c.Close()
	if err = knows(c, path); err == nil {
		err = check(ctx, c, true)
	}
	if err == nil {
		out.Version, err = schema.Version(c)
	}
	if err == nil {
		_, err = c.One("SELECT (SELECT count(*) FROM space), (SELECT count(*) FROM message)", nil, &out.Spaces, &out.Messages)
	}
	if ctx.Err() != nil {
		return out, db.Canceled(ctx.Err())
	}
	return out, db.Wrap(err, "read {{path}}", path)
}

// Known returns an error if this program can't use the database at path. Error codes: newer_version, io.
func Known(path string) error {
	c, err := db.Dial(path, db.ReadOnly)
	if err != nil {
		return db.Wrap(err, "open {{path}}", path)
	}
	defer c.Close()
	return knows(c, path)
}

// Replace replaces the database of the data folder dir with the complete database at from, which nothing may have open
// and which must be on the same file system. It keeps the old one at the returned path, which is "" if there was none.
// An interruption leaves either the old database or the new one, which the next start moves into place. Error codes:
// in_use, read_only, disk_full, io.
func Replace(dir, from string, opt Options) (aside string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", db.Wrap(err, "create the data folder {{folder}}", dir)
	}
	lock, err := lockDir(dir, opt.Now())
	if err != nil {
		return "", err
	}
	f := &File{dir: dir, opt: opt, lock: lock}
	defer func() { err = errors.Join(err, f.Unlock()) }()
	return f.replace(from)
}

// replace is [Replace] for a folder that is locked.
func (f *File) replace(from string) (aside string, err error) {
	c, err := db.Dial(from, db.ReadWrite)
	if err != nil {
		return "", db.Wrap(err, "open {{from}}", from)
	}
	// Open windows must reload, because the numbers of events now belong to other events.
	err = errors.Join(c.Exec("INSERT OR REPLACE INTO meta (key, value) VALUES (?, '')", schema.RenewEpochs),
		c.Script("PRAGMA wal_checkpoint(TRUNCATE)"), c.Close())
	if err != nil {
		return "", db.Wrap(err, "prepare the database")
	}
	removeSides(from)
	// Move the log of the old database into its file, as far as it can be read.
	if old, err := db.Dial(f.Path(), db.ReadWrite); err == nil {
		_ = errors.Join(old.Script("PRAGMA wal_checkpoint(TRUNCATE)"), old.Close())
	}
	if err := os.Rename(from, f.restoredPath()); err != nil {
		return "", db.Wrap(err, "replace the database")
	}
	return f.finishRestore()
}

// takeBack restores the copy that the newer Weft of [Options.TakenBack] made before it migrated the database, if there
// is one. It keeps the migrated database.
func (f *File) takeBack(ctx context.Context) bool {
	from := filepath.Join(f.dir, backupName(len(schema.Migrations())))
	info, err := os.Stat(from)
	const clocks = 5 * time.Second // tolerance for the times of files
	if err != nil || f.opt.TakenBack.IsZero() || info.ModTime().Before(f.opt.TakenBack.Add(-clocks)) {
		return false
	}
	aside := ""
	if _, err = Inspect(ctx, from); err == nil {
		aside, err = f.replace(from)
	}
	f.opt.Log.Warn().Err(err).Str("aside", aside).Msg("returning to the database as it was before a newer Weft that didn't start")
	return err == nil
}

func (f *File) restoredPath() string { return f.Path() + ".restored" }

// finishRestore replaces the database with a restored one, if there is one.
func (f *File) finishRestore() (aside string, err error) {
	if !exists(f.restoredPath()) {
		return "", nil
	}
	if exists(f.Path()) {
		aside = f.free(".replaced-")
	}
	return aside, f.swap(f.restoredPath(), aside)
}
