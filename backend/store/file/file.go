package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/private"
	"weft/backend/store/db"
	"weft/backend/store/schema"
)

// Options configures [Open].
type Options struct {
	Log zerolog.Logger
	Now func() time.Time
	// OnDamage is called when damage is found while Weft runs. The next start repairs it.
	OnDamage func(err *db.Error)
	// OnLock is called when the folder is locked, before the file is opened. It may be nil.
	OnLock func()
	// TakenBack is when a newer Weft that was rolled back first started; zero for never. Its changes to the database
	// are discarded.
	TakenBack time.Time
}

// File is the database file of a data folder.
type File struct {
	dir     string
	opt     Options
	lock    *os.File
	asLeft  bool // when it was opened, the file was as Close had left it
	checked bool // the whole file was checked when it was opened
}

// Open locks the folder, which it creates if needed, and returns a connection that writes to a sound database of the
// current version. It blocks for a check of the file (at most a fraction of a second), a migration or a recovery. The
// recovery is nil unless the file was damaged.
func Open(ctx context.Context, dir string, opt Options) (*File, *db.Conn, *Recovery, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, nil, db.Wrap(err, "create the data folder {{folder}}", dir)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, nil, db.Wrap(err, "find the data folder")
	}
	lock, err := lockDir(dir, opt.Now())
	if err != nil {
		return nil, nil, nil, err
	}
	if opt.OnLock != nil {
		opt.OnLock()
	}
	f := &File{dir: dir, opt: opt, lock: lock}
	c, rec, err := f.open(ctx)
	if err == nil {
		if err = f.migrate(c, schema.Migrations()); err != nil {
			c.Close()
		}
	}
	if err != nil {
		return nil, nil, nil, errors.Join(err, f.Unlock())
	}
	return f, c, rec, nil
}

// Path returns the path of the database.
func (f *File) Path() string { return filepath.Join(f.dir, "weft.db") }

// Close records the state of the file and unlocks the folder. The database must be closed before.
func (f *File) Close() error {
	f.leave()
	return f.Unlock()
}

// Unlock is Close for a file that was not closed properly. It may be called twice.
func (f *File) Unlock() error {
	if err := f.lock.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return db.Wrap(err, "close the database")
	}
	return nil
}

// open returns a connection to a sound file, which it creates or recovers if needed.
func (f *File) open(ctx context.Context) (*db.Conn, *Recovery, error) {
	rec, err := f.finishRecovery()
	if err == nil {
		_, err = f.finishRestore()
	}
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(f.Path()); errors.Is(err, fs.ErrNotExist) {
		if err := f.create(); err != nil {
			return nil, nil, db.Wrap(err, "create the database {{path}}", f.Path())
		}
	}
	if err := writable(f.Path()); err != nil {
		return nil, nil, db.Wrap(err, "open the database {{path}}", f.Path())
	}
	for _, side := range []string{"", "-wal", "-shm"} {
		if err := private.Narrow(f.Path() + side); err != nil {
			f.opt.Log.Warn().Err(err).Msg("other users of the machine may be able to read the database")
		}
	}
	info, err := os.Stat(f.Path())
	if err != nil {
		return nil, nil, db.Wrap(err, "open the database {{path}}", f.Path())
	}
	f.asLeft = f.unchanged(info)
	c, damage, err := f.openChecked(info)
	if db.CodeOf(err) == db.CodeNewerVersion && f.takeBack(ctx) {
		return f.open(ctx)
	}
	if err != nil || damage == nil {
		return c, rec, err
	}
	rec, err = f.recover(ctx, damage)
	if err != nil {
		return nil, nil, err
	}
	c, err = db.Dial(f.Path(), db.ReadWrite)
	return c, rec, db.Wrap(err, "open the recovered database")
}

func writable(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// create creates an empty database under another name first, so that weft.db is always complete.
func (f *File) create() error {
	tmp := f.Path() + ".new"
	removeDB(tmp)
	if err := makeEmpty(tmp); err != nil {
		removeDB(tmp)
		return err
	}
	removeSides(f.Path()) // SQLite would take a -wal without its database for the log of this one
	return os.Rename(tmp, f.Path())
}

func makeEmpty(path string) error {
	// The files that SQLite creates next to the database get the database's mode.
	if err := private.Create(path); err != nil {
		return err
	}
	c, err := db.Dial(path, db.Create)
	if err != nil {
		return err
	}
	return errors.Join(schema.Apply(c, schema.Migrations(), 0), c.Script("PRAGMA wal_checkpoint(TRUNCATE)"), c.Close())
}

func removeDB(path string) {
	os.Remove(path)
	removeSides(path)
}

func removeSides(path string) {
	os.Remove(path + "-wal")
	os.Remove(path + "-shm")
}
