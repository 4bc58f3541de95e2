package db

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// Options configures [New].
type Options struct {
	Log zerolog.Logger
	Now func() time.Time
	// OnDamage is called on the writer's goroutine when a transaction fails because the file is damaged.
	OnDamage func(err *Error)
}

// DB is an open SQLite file. Its methods are safe for concurrent use.
type DB struct {
	path    string
	opt     Options
	writer  *Writer
	readers chan *Conn
	dialed  int // number of open readers

	requests chan *request
	closing  chan struct{}
	closed   sync.Once
	closeErr error
	tasks    sync.WaitGroup

	commits, checkpoints, walBytes atomic.Int64
	changes                        atomic.Uint64
}

// readers is the number of read-only connections.
const readers = 4

// New returns the database at path. c is an open connection to it that can write; New takes ownership of it, even if it
// fails. Until [DB.Start], only [DB.Read], [DB.View] and the [Writer] may be used.
func New(path string, c *Conn, opt Options) (*DB, error) {
	d := &DB{
		path: path, opt: opt, readers: make(chan *Conn, readers),
		requests: make(chan *request, maxWaiting), closing: make(chan struct{}),
	}
	d.writer = newWriter(d, c)
	for range readers {
		r, err := Dial(path, ReadOnly)
		if err != nil {
			return nil, errors.Join(Wrap(err, "open the database {{path}}", path), d.release())
		}
		d.readers <- r
		d.dialed++
	}
	return d, nil
}

// Path returns the path of the file.
func (d *DB) Path() string { return d.path }

// Now returns the time of the clock in [Options], in unix milliseconds.
func (d *DB) Now() int64 { return d.opt.Now().UnixMilli() }

// Writer returns the connection that writes. It must not be used after Start, except by changes and by the [Batcher].
func (d *DB) Writer() *Writer { return d.writer }

// Start begins to serve requests. b stores the items of [DB.Batch].
func (d *DB) Start(b Batcher) {
	d.writer.batcher = b
	d.tasks.Add(2)
	go d.writer.run()
	go d.writer.checkpointer()
}

// Go runs a task in the background. It must return soon after its context ends; [DB.Close] ends the context and waits.
func (d *DB) Go(task func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	d.tasks.Add(2)
	go func() {
		defer d.tasks.Done()
		defer cancel()
		select {
		case <-d.closing:
		case <-done:
		}
	}()
	go func() {
		defer d.tasks.Done()
		defer close(done)
		task(ctx)
	}()
}

// Close rejects new requests, waits for accepted ones and for tasks, moves the write-ahead log into the file and closes
// it. It returns the same error when called again.
func (d *DB) Close() error {
	d.closed.Do(func() {
		close(d.closing)
		d.tasks.Wait()
		d.closeErr = d.release()
	})
	return d.closeErr
}

func (d *DB) release() error {
	for range d.dialed {
		(<-d.readers).Close() // waits for reads that have begun
	}
	c := d.writer.conn
	return errors.Join(c.Script("PRAGMA wal_checkpoint(TRUNCATE)"), c.Close())
}

// Stats are counters since the file was opened.
type Stats struct {
	Commits     int64 // transactions
	Checkpoints int64
	WALBytes    int64 // bytes written to the write-ahead log, counted at each checkpoint
}

// Stats returns the counters.
func (d *DB) Stats() Stats {
	return Stats{Commits: d.commits.Load(), Checkpoints: d.checkpoints.Load(), WALBytes: d.walBytes.Load()}
}

// Changes returns the number of committed changes, except those of [DB.Batch] and [DB.Background]. Data read after this
// call stays current until the number changes or items change it.
func (d *DB) Changes() uint64 { return d.changes.Load() }
