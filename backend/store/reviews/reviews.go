// Package reviews stores the changes that agents made to files and the user's decisions about them, for
// backend/changes/review. The states of files are JSON of that package.
package reviews

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// Reviews are the changes of files, by space.
type Reviews struct{ db *db.DB }

// New returns the reviews in d.
func New(d *db.DB) *Reviews { return &Reviews{d} }

// Turn is a period in which files of the space's folder changed. Times are unix ms.
type Turn struct {
	ID        int64
	SpaceID   string
	What      string // run, reject, undo, redo
	RunID     string
	PromptID  string
	StartedAt int64
	EndedAt   int64 // 0 while it is in progress
	Late      bool  // it began before the whole folder was read
}

// Touch is what a turn did to one file.
type Touch struct {
	TurnID    int64
	What      string // of the turn; read only
	Path      string
	Made      string
	Before    jsontext.Value
	After     jsontext.Value
	Was, Plan jsontext.Value // nil: none
}

// File is a file with changes to review.
type File struct {
	ID             int64
	Path           string
	Made           string
	Base, Agent    jsontext.Value
	Added, Removed int
	At             int64
}

// Tx reads and, within [Reviews.Change], changes the review of one space.
type Tx struct {
	c   *db.Conn
	sid int64
}

// Change runs f in one transaction. All other writes wait for f, so it must do nothing but call tx.
func (r *Reviews) Change(ctx context.Context, spaceID string, f func(tx *Tx) error) error {
	return r.db.Change(ctx, "save the file changes", func(c *db.Conn) error {
		tx := &Tx{c: c}
		found, err := c.One("SELECT sid FROM space WHERE id = ? AND purging = 0", []any{spaceID}, &tx.sid)
		if err != nil {
			return err
		}
		if !found {
			return spaces.NotFound(spaceID)
		}
		return f(tx)
	})
}

// View runs f in one read transaction. f must only read, and occupies one of the few read-only connections.
func (r *Reviews) View(ctx context.Context, spaceID string, f func(tx *Tx) error) error {
	return spaces.View(ctx, r.db, spaceID, "read the file changes", func(c *db.Conn, sid int64) error { return f(&Tx{c: c, sid: sid}) })
}

// Unfinished returns the turns that have not ended, and the spaces with plans that were not carried out. They remain if
// Weft is killed.
func (r *Reviews) Unfinished(ctx context.Context) (turns []Turn, planned []string, err error) {
	err = r.db.View(ctx, "read the file changes", func(c *db.Conn) error {
		err := c.Each("SELECT n.tid, s.id, n.what, n.run_id, n.prompt_id, n.started_at, n.late FROM review_turn n JOIN space s USING (sid) WHERE n.ended_at = 0", nil,
			func(scan db.Scan) (bool, error) {
				var t Turn
				err := scan(&t.ID, &t.SpaceID, &t.What, &t.RunID, &t.PromptID, &t.StartedAt, &t.Late)
				turns = append(turns, t)
				return true, err
			})
		if err != nil {
			return err
		}
		return c.Each("SELECT DISTINCT s.id FROM review_touch t JOIN review_turn n USING (tid) JOIN space s USING (sid) WHERE t.plan IS NOT NULL", nil,
			func(scan db.Scan) (bool, error) {
				var id string
				err := scan(&id)
				planned = append(planned, id)
				return true, err
			})
	})
	return turns, planned, err
}

// Prune deletes all but the last turns of each space. It calls state with every remaining state, so that the caller can
// keep the content that they refer to.
func (r *Reviews) Prune(ctx context.Context, turns int, state func(raw []byte)) error {
	err := r.db.Change(ctx, "delete old file changes", func(c *db.Conn) error {
		old := `SELECT tid FROM (SELECT tid, ended_at, row_number() OVER (PARTITION BY sid ORDER BY tid DESC) AS n FROM review_turn) WHERE n > ? AND ended_at > 0`
		if err := c.Exec("DELETE FROM review_touch WHERE tid IN ("+old+")", turns); err != nil {
			return err
		}
		return c.Exec("DELETE FROM review_turn WHERE tid IN ("+old+")", turns)
	})
	if err != nil {
		return err
	}
	return r.db.View(ctx, "read the file changes", func(c *db.Conn) error {
		for _, q := range []string{"SELECT base, agent FROM review_file", "SELECT before, after FROM review_touch", "SELECT before, after FROM review_accepted", "SELECT was, plan FROM review_touch WHERE was IS NOT NULL OR plan IS NOT NULL"} {
			err := c.Each(q, nil, func(scan db.Scan) (bool, error) {
				var a, b []byte
				err := scan(&a, &b)
				state(a)
				state(b)
				return true, err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// DropAll deletes the review of the space.
func (tx *Tx) DropAll() error {
	for _, q := range []string{
		"DELETE FROM review_touch WHERE tid IN (SELECT tid FROM review_turn WHERE sid = ?)",
		"DELETE FROM review_turn WHERE sid = ?", "DELETE FROM review_file WHERE sid = ?", "DELETE FROM review_accepted WHERE sid = ?",
	} {
		if err := tx.c.Exec(q, tx.sid); err != nil {
			return err
		}
	}
	return nil
}
