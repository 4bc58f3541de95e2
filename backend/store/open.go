package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/private"
	"weft/backend/transcript"
)

// Options is what a store needs from outside. The zero value works.
type Options struct {
	Log zerolog.Logger
	Now func() time.Time
	// OnCommit is called with the events of every commit, see the package comment. Calls for
	// different spaces may overlap. It runs on the goroutine that appends: while it blocks,
	// so do the appends to that space. It must not append to that space itself.
	OnCommit func(spaceID string, events []transcript.Event)
	// OnDamage is called, from a goroutine of the store, if the check that runs behind the
	// start of a large database finds damage. The next start repairs it.
	OnDamage func(err *Error)
	// MaxDecisions is how many permission decisions are kept, 0: [MaxDecisions].
	MaxDecisions int64
}

// Store is an open database. All methods are safe for concurrent use.
type Store struct {
	dir     string
	opt     Options
	lock    *os.File
	w       *writer
	readers chan *conn
	dialled int // readers there are

	asItWas bool // the file was as Close had left it
	checked bool // the whole file was checked when it was opened

	requests chan *request
	closing  chan struct{}
	closed   sync.Once
	closeErr error
	tasks    sync.WaitGroup // the writer, the checkpointer, the check

	mu     sync.Mutex
	active map[string]*activeSpace // by id

	stats counters
}

const readConns = 4

// Open opens or creates the database in dir, which it creates too. It blocks for the
// check of the file (at most a fraction of a second), a migration or a recovery.
// Recovery is nil unless the file was damaged. The errors have the codes in_use,
// read_only, disk_full, locked, newer_version or io.
func Open(ctx context.Context, dir string, opt Options) (*Store, *Recovery, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, wrap(err, "create the data folder "+dir)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, wrap(err, "find the data folder")
	}
	lock, err := lockDir(dir, opt.Now())
	if err != nil {
		return nil, nil, err
	}
	s := &Store{
		dir: dir, opt: opt, lock: lock, active: map[string]*activeSpace{},
		readers: make(chan *conn, readConns), requests: make(chan *request, maxGroup), closing: make(chan struct{}),
	}
	rec, err := s.start(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, s.release())
	}
	return s, rec, nil
}

func (s *Store) path() string { return filepath.Join(s.dir, "weft.db") }

func (s *Store) start(ctx context.Context) (*Recovery, error) {
	c, rec, err := s.openFile(ctx)
	if err != nil {
		return nil, err
	}
	s.w = newWriter(s, c)
	if err := s.migrate(c, migrations); err != nil {
		return nil, err
	}
	n, err := s.w.foldLeftovers()
	if err != nil {
		return nil, wrap(err, "fold what the last session left")
	}
	if rec != nil {
		rec.Events = n
	}
	for range readConns {
		r, err := dial(s.path(), "ro")
		if err != nil {
			return nil, wrap(err, "open the database "+s.path())
		}
		s.readers <- r
		s.dialled++
	}
	s.tasks.Add(2)
	go s.w.run()
	go s.w.checkpointer()
	s.checkLater(s.asItWas)
	s.resumePurges()
	return rec, nil
}

// openFile answers a writing connection to a file that holds together, however that
// takes: by creating it, by recovering it, or by just opening it.
func (s *Store) openFile(ctx context.Context) (*conn, *Recovery, error) {
	rec, err := s.finishRecovery()
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(s.path()); errors.Is(err, fs.ErrNotExist) {
		if err := s.create(); err != nil {
			return nil, nil, wrap(err, "create the database "+s.path())
		}
	}
	if err := writable(s.path()); err != nil {
		return nil, nil, wrap(err, "open the database "+s.path())
	}
	for _, side := range []string{"", "-wal", "-shm"} {
		if err := private.Narrow(s.path() + side); err != nil {
			s.opt.Log.Warn().Err(err).Msg("other users of the machine may be able to read the database")
		}
	}
	info, err := os.Stat(s.path())
	if err != nil {
		return nil, nil, wrap(err, "open the database "+s.path())
	}
	s.asItWas = s.asLeft(info)
	c, damage, err := s.openChecked(info)
	if err != nil || damage == nil {
		return c, rec, err
	}
	rec, err = s.recover(ctx, damage)
	if err != nil {
		return nil, nil, err
	}
	c, err = dial(s.path(), "rw")
	return c, rec, wrap(err, "open the recovered database")
}

func writable(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// create makes an empty database under another name first, so that a weft.db is always whole.
func (s *Store) create() error {
	tmp := s.path() + ".new"
	removeDB(tmp)
	if err := s.makeEmpty(tmp); err != nil {
		removeDB(tmp)
		return err
	}
	removeSides(s.path()) // a -wal without its database would be taken for ours
	return os.Rename(tmp, s.path())
}

func (s *Store) makeEmpty(path string) error {
	// What SQLite puts beside the file gets the mode of the file.
	if err := private.Create(path); err != nil {
		return err
	}
	c, err := dial(path, "rwc")
	if err != nil {
		return err
	}
	return errors.Join(applyMigrations(c, migrations, 0), c.script("PRAGMA wal_checkpoint(TRUNCATE)"), c.close())
}

func removeDB(path string) {
	os.Remove(path)
	removeSides(path)
}

func removeSides(path string) {
	os.Remove(path + "-wal")
	os.Remove(path + "-shm")
}

// Close waits for what was accepted, writes everything into the database file and lets
// go of it. Appends from now on fail with the code closed. ctx bounds the wait for the
// background check only: data is never left behind.
func (s *Store) Close(_ context.Context) error {
	s.closed.Do(func() {
		close(s.closing)
		s.tasks.Wait()
		s.closeErr = s.release()
	})
	return s.closeErr
}

func (s *Store) release() error {
	for range s.dialled {
		(<-s.readers).close() // waits for reads that are under way
	}
	var err error
	if s.w != nil {
		if err = errors.Join(s.w.c.script("PRAGMA wal_checkpoint(TRUNCATE)"), s.w.c.close()); err == nil {
			s.leave()
		}
	}
	return wrap(errors.Join(err, s.lock.Close()), "close the database")
}

// Stats are counters since Open.
type Stats struct {
	Commits     int64 // transactions
	Events      int64
	EventBytes  int64 // JSON of events
	Folds       int64
	Checkpoints int64
	WALBytes    int64 // written to the write-ahead log, known at each checkpoint
}

type counters struct{ commits, events, eventBytes, folds, checkpoints, walBytes atomic.Int64 }

// Stats answers what was written since Open.
func (s *Store) Stats() Stats {
	c := &s.stats
	return Stats{
		Commits: c.commits.Load(), Events: c.events.Load(), EventBytes: c.eventBytes.Load(),
		Folds: c.folds.Load(), Checkpoints: c.checkpoints.Load(), WALBytes: c.walBytes.Load(),
	}
}
