package store

import (
	"context"
	"errors"
	"sync/atomic"
)

const (
	maxGroup      = 128      // requests that may wait, and that share a transaction
	maxGroupBytes = 1 << 20  // of their bodies, about
	softWAL       = 16 << 20 // bytes of log at which the checkpointer starts
	hardWAL       = 64 << 20 // bytes of log at which the writer itself clears it
	frame         = pageSize + 24
)

// request is one thing to write. Exactly one of append and do is set.
type request struct {
	append    *staged
	do        func(c *conn) error // in a transaction of its own
	committed func()              // runs on the writer's goroutine after do is committed
	err       error
	done      chan struct{}
}

// writer owns the connection that writes. Only its goroutine (and Open, before that
// starts) touches its fields.
type writer struct {
	s    *Store
	c    *conn
	rows *rows

	journal journal
	taken   int  // slots that the transaction in progress has taken
	full    bool // synchronous is FULL

	sweepAt int64 // unix ms of the next look at idle spaces

	wake  chan struct{} // tells the checkpointer
	ended chan struct{} // closed when the goroutine has ended

	// About how many bytes were written to the log since the last checkpoint, and since it
	// last restarted; and its frames at the last checkpoint.
	sinceCheckpoint, log, frames atomic.Int64
}

func newWriter(s *Store, c *conn) *writer {
	return &writer{s: s, c: c, rows: newRows(c), journal: journal{c: c}, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// submit hands req to the writer and waits until it is done.
// Once the request is accepted, ctx does not matter any more.
func (s *Store) submit(ctx context.Context, req *request) error {
	req.done = make(chan struct{})
	select {
	case <-s.closing:
		return fail(CodeClosed, "Weft is closing.")
	default:
	}
	select {
	case s.requests <- req:
	case <-ctx.Done():
		return &Error{Code: CodeCancelled, Message: "It was given up before it was stored.", Err: ctx.Err()}
	case <-s.closing:
		return fail(CodeClosed, "Weft is closing.")
	}
	select {
	case <-req.done:
	case <-s.w.ended:
		// The writer may have served it as the last thing it did.
		select {
		case <-req.done:
		default:
			return fail(CodeClosed, "Weft is closing.")
		}
	}
	return req.err
}

// run serves requests until the store closes, then those that were accepted by then.
func (w *writer) run() {
	defer w.s.tasks.Done()
	defer close(w.ended)
	for {
		select {
		case req := <-w.s.requests:
			w.serve(req)
		case <-w.s.closing:
			for {
				select {
				case req := <-w.s.requests:
					w.serve(req)
				default:
					return
				}
			}
		}
	}
}

// serve serves req, and with it the appends that wait behind it.
func (w *writer) serve(req *request) {
	for req != nil {
		if req.append == nil {
			w.serveDo(req)
			req = nil
			continue
		}
		group, bytes := []*request{req}, req.append.size
		req = nil
		for len(group) < maxGroup && bytes < maxGroupBytes && req == nil {
			select {
			case next := <-w.s.requests:
				if next.append == nil {
					req = next
					continue
				}
				group, bytes = append(group, next), bytes+next.append.size
				continue
			default:
			}
			break
		}
		w.serveAppends(group)
	}
}

func (w *writer) serveDo(req *request) {
	defer close(req.done)
	req.err = w.transaction(true, func() error { return req.do(w.c) })
	if req.err == nil && req.committed != nil {
		req.committed()
	}
	w.rows.forget() // what it wrote may not agree with what is remembered
	w.wrote(16 * frame)
}

// transaction runs f between BEGIN and COMMIT. full asks that the commit survives a
// power cut. If anything fails, nothing has happened in the file.
func (w *writer) transaction(full bool, f func() error) error {
	if full != w.full {
		level := "NORMAL"
		if full {
			level = "FULL"
		}
		if err := w.c.exec("PRAGMA synchronous=" + level); err != nil {
			return err
		}
		w.full = full
	}
	if err := w.c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := f()
	if err == nil {
		err = w.c.exec("COMMIT")
	}
	if err != nil {
		// After some errors SQLite has rolled back already; then this one fails, and may.
		_ = w.c.exec("ROLLBACK")
		w.rows.forget()
		var e *Error
		if err := wrap(err, "store a change"); errors.As(err, &e) && e.Code == CodeDamaged {
			w.s.suspect(e)
		}
		return err
	}
	w.s.stats.commits.Add(1)
	return nil
}

// checkpointer moves the log into the database file behind the writer's back, so that
// appends do not wait for the disk. If the writer is always ahead of it, the log
// never restarts; then the writer clears it itself (hardWAL).
func (w *writer) checkpointer() {
	defer w.s.tasks.Done()
	c, err := dial(w.s.path(), "rw")
	if err != nil {
		w.s.opt.Log.Error().Err(err).Msg("no connection for checkpoints; the writer does them")
		return
	}
	defer c.close()
	for {
		select {
		case <-w.wake:
			w.checkpoint(c)
		case <-w.s.closing:
			return
		}
	}
}

// checkpoint moves what it can without making anybody wait.
func (w *writer) checkpoint(c *conn) {
	since, log := w.sinceCheckpoint.Swap(0), w.log.Load()
	var busy, frames, moved int64
	if _, err := c.one("PRAGMA wal_checkpoint(PASSIVE)", nil, &busy, &frames, &moved); err != nil {
		w.s.opt.Log.Warn().Err(err).Int64("bytes", since).Msg("checkpoint")
		return
	}
	w.s.stats.checkpoints.Add(1)
	fresh := frames - w.frames.Swap(frames)
	if fresh < 0 {
		fresh = frames // the log has restarted
	}
	w.s.stats.walBytes.Add(fresh * frame)
	if frames == moved {
		w.log.CompareAndSwap(log, 0) // the next commit starts at its beginning
	}
}

// wrote counts a commit of about n bytes and has the log cleared when it is time to.
func (w *writer) wrote(n int) {
	since, log := w.sinceCheckpoint.Add(int64(n)), w.log.Add(int64(n))
	switch {
	case log > hardWAL:
		w.checkpoint(w.c)
	case since > softWAL:
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}
