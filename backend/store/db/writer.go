package db

import (
	"context"
	"errors"
	"sync/atomic"

	"weft/backend/base/fault"
)

const (
	maxWaiting    = 128     // requests in the queue, and items that share a transaction
	maxBatchBytes = 1 << 20 // approximate size of items that share a transaction
)

// Item is something to store that may share a transaction with others. See [DB.Batch].
type Item interface {
	Size() int // approximate number of bytes to write
}

// Batcher stores the items of [DB.Batch]. Its methods are called on the writer's goroutine only, one at a time.
type Batcher interface {
	// Commit stores the items, in order, with [Writer.Transaction], and returns an error for each, nil if it is stored.
	Commit(w *Writer, items []Item) []error
	// Forget drops cached state of tables. It is called after each change and after each failed transaction.
	Forget()
}

// request is one thing to write: an item, or a change.
type request struct {
	item      Item
	change    func(c *Conn) error
	aside     bool // the change touches no table that the Batcher caches, and may be lost in a power cut
	again     bool // the change can be repeated, and may be lost in a power cut
	committed func()
	err       error
	done      chan struct{}
}

// Change runs f in its own transaction, on the writer's goroutine, and returns once the commit survives a power cut.
// While f runs, all other writes wait, so it must be short and must not wait for anything but the database. After an
// error, nothing is stored. doing is as in [Wrap]. See the package comment for how long it blocks and what ctx does.
func (d *DB) Change(ctx context.Context, doing fault.Template, f func(c *Conn) error) error {
	return Wrap(d.submit(ctx, &request{change: f}), doing)
}

// Background is Change for work that can be repeated: the commit need not survive a power cut. f must not write to
// tables that the [Batcher] caches.
func (d *DB) Background(ctx context.Context, doing fault.Template, f func(c *Conn) error) error {
	return Wrap(d.submit(ctx, &request{change: f, aside: true}), doing)
}

// ChangeThen is Change that also calls committed on the writer's goroutine, after the commit and before anything else
// is written.
func (d *DB) ChangeThen(ctx context.Context, doing fault.Template, f func(c *Conn) error, committed func()) error {
	return Wrap(d.submit(ctx, &request{change: f, committed: committed}), doing)
}

// AgainThen is ChangeThen for work that can be repeated from stored data: the commit need not survive a power cut, so
// it skips the disk flush.
func (d *DB) AgainThen(ctx context.Context, doing fault.Template, f func(c *Conn) error, committed func()) error {
	return Wrap(d.submit(ctx, &request{change: f, again: true, committed: committed}), doing)
}

// Batch passes an item to the [Batcher], together with others that wait at the same time, and returns the item's error.
func (d *DB) Batch(ctx context.Context, item Item) error {
	return d.submit(ctx, &request{item: item})
}

// submit passes req to the writer and blocks until it is done.
func (d *DB) submit(ctx context.Context, req *request) error {
	req.done = make(chan struct{})
	select {
	case <-d.closing:
		return Closed()
	default:
	}
	select {
	case d.requests <- req:
	case <-ctx.Done():
		return Canceled(ctx.Err())
	case <-d.closing:
		return Closed()
	}
	select {
	case <-req.done:
	case <-d.writer.ended:
		// This request may have been the last one that the writer served.
		select {
		case <-req.done:
		default:
			return Closed()
		}
	}
	return req.err
}

// Writer is the connection that writes. Only the writer's goroutine uses it and, before that starts, the code that
// opens the database.
type Writer struct {
	db      *DB
	conn    *Conn
	batcher Batcher
	full    bool // commits survive a power cut (PRAGMA synchronous=FULL)

	wake  chan struct{} // wakes the checkpointer
	ended chan struct{} // closed when the goroutine has ended

	// The approximate bytes written to the log since the last checkpoint, and since the log last restarted; and the
	// number of its frames at the last checkpoint.
	sinceCheckpoint, log, frames atomic.Int64
}

func newWriter(d *DB, c *Conn) *Writer {
	return &Writer{db: d, conn: c, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// Conn returns the connection.
func (w *Writer) Conn() *Conn { return w.conn }

// run serves requests until the database closes, then the remaining accepted ones.
func (w *Writer) run() {
	defer w.db.tasks.Done()
	defer close(w.ended)
	for {
		select {
		case req := <-w.db.requests:
			w.serve(req)
		case <-w.db.closing:
			for {
				select {
				case req := <-w.db.requests:
					w.serve(req)
				default:
					return
				}
			}
		}
	}
}

// serve serves req and, if it is an item, the items that wait behind it.
func (w *Writer) serve(req *request) {
	for req != nil {
		if req.item == nil {
			w.serveChange(req)
			req = nil
			continue
		}
		batch, bytes := []*request{req}, req.item.Size()
		req = nil
		for len(batch) < maxWaiting && bytes < maxBatchBytes && req == nil {
			select {
			case next := <-w.db.requests:
				if next.item == nil {
					req = next
					continue
				}
				batch, bytes = append(batch, next), bytes+next.item.Size()
				continue
			default:
			}
			break
		}
		w.serveBatch(batch)
	}
}

func (w *Writer) serveBatch(batch []*request) {
	items := make([]Item, len(batch))
	for i, req := range batch {
		items[i] = req.item
	}
	for i, err := range w.batcher.Commit(w, items) {
		batch[i].err = err
		close(batch[i].done)
	}
}

func (w *Writer) serveChange(req *request) {
	defer close(req.done)
	req.err = w.Transaction(!req.aside && !req.again, func(c *Conn) error { return req.change(c) })
	if req.err == nil && req.committed != nil {
		req.committed()
	}
	if !req.aside {
		w.forget()
		w.db.changes.Add(1)
	}
	w.Wrote(0, 16)
}

// Transaction runs f in a transaction. If durable, the commit survives a power cut, otherwise only the end of the
// process. After an error, the file is unchanged.
func (w *Writer) Transaction(durable bool, f func(c *Conn) error) error {
	c := w.conn
	if durable != w.full {
		level := "NORMAL"
		if durable {
			level = "FULL"
		}
		if err := c.Exec("PRAGMA synchronous=" + level); err != nil {
			return err
		}
		w.full = durable
	}
	if err := c.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := f(c)
	if err == nil {
		err = c.Exec("COMMIT")
	}
	if err != nil {
		_ = c.Exec("ROLLBACK") // fails if SQLite has rolled back already
		w.forget()
		var e *Error
		if errors.As(Wrap(err, "save a change"), &e) && e.Code == CodeDamaged && w.db.opt.OnDamage != nil {
			w.db.opt.OnDamage(e)
		}
		return err
	}
	w.db.commits.Add(1)
	return nil
}

func (w *Writer) forget() {
	if w.batcher != nil {
		w.batcher.Forget()
	}
}
