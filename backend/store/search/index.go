package search

import (
	"context"
	"sync/atomic"

	"github.com/rs/zerolog"

	"weft/backend/store/db"
)

// Index is the search index of a store. Methods that take a connection are for the writer's goroutine alone; the others
// are safe for concurrent use.
type Index struct {
	db   *db.DB
	log  zerolog.Logger
	wake chan struct{} // there is something to index
	// asked counts how often the background was woken; seen is the value at which it last found nothing to do.
	asked, seen atomic.Int64

	writer  indexer
	cleaner cleaner
	words   vocabulary
	damaged atomic.Bool // it must be rebuilt
	// restarts counts rebuilds, so that a search that began before one doesn't trigger another.
	restarts atomic.Int64
}

// Progress says how much of the conversations that were there before the index is indexed.
type Progress struct {
	Done  int64 `json:"done"`  // messages
	Total int64 `json:"total"` // messages; 0 if all is indexed
}

// New returns the index in d, which must not be started yet.
func New(d *db.DB, log zerolog.Logger) *Index {
	x := &Index{db: d, log: log, wake: make(chan struct{}, 1)}
	x.writer.x = x
	x.writer.init()
	x.cleaner.w = &x.writer
	return x
}

// Start starts indexing in the background. It must be called once, after the database was started.
func (x *Index) Start() {
	x.db.Go(x.work)
	x.Wake()
}

// Wake makes the background check whether there is something to index.
func (x *Index) Wake() {
	x.asked.Add(1)
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// Forget drops the cached state of tables. It must be called after a failed transaction.
func (x *Index) Forget() { x.writer.forget() }

// Progress returns how much of the conversations that are older than the index is indexed. A search that begins later
// finds at least that much.
func (x *Index) Progress(ctx context.Context) (p Progress, err error) {
	err = x.db.View(ctx, "search", func(c *db.Conn) error {
		var open int64
		if _, err := c.One("SELECT coalesce((SELECT max(mid) FROM message), 0), coalesce((SELECT sum(hi - lo + 1) FROM search_range), 0)", nil, &p.Total, &open); err != nil {
			return err
		}
		if p.Done = p.Total - open; open == 0 {
			p = Progress{}
		}
		return nil
	})
	return p, err
}

// Idle blocks until everything in rows that has ended is indexed. It is for tests and benchmarks.
func (x *Index) Idle(ctx context.Context) error {
	x.Wake()
	for n := x.asked.Load(); x.seen.Load() < n; {
		if err := pause(ctx, idlePoll); err != nil {
			return err
		}
	}
	return nil
}

// Size returns the sizes of the rows and of the index in bytes. It reads the whole file.
func (x *Index) Size(ctx context.Context) (rows, index int64, err error) {
	err = x.db.Read(ctx, "measure the search index", func(c *db.Conn) error {
		_, err := c.One("SELECT coalesce(sum(iif(name LIKE 'search%', 0, pgsize)), 0), coalesce(sum(iif(name LIKE 'search%', pgsize, 0)), 0) FROM dbstat WHERE aggregate = TRUE", nil, &rows, &index)
		return err
	})
	return rows, index, err
}
