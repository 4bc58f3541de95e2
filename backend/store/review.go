package store

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// ReviewTurn is a stretch in which files of a space's folder changed. Times are unix ms.
type ReviewTurn struct {
	ID        int64
	SpaceID   string
	What      string // run, reject, undo, redo
	RunID     string
	PromptID  string
	StartedAt int64
	EndedAt   int64 // 0 while it goes on
	Late      bool
}

// ReviewTouch is what a turn did to one file.
type ReviewTouch struct {
	TurnID    int64
	What      string // of the turn; read only
	Path      string
	Made      string
	Before    jsontext.Value
	After     jsontext.Value
	Was, Plan jsontext.Value // nil: none
}

// ReviewFile is a file with changes to review.
type ReviewFile struct {
	ID             int64
	Path           string
	Made           string
	Base, Agent    jsontext.Value
	Added, Removed int
	At             int64
}

// ReviewTx reads, and within [Store.ReviewChange] changes, the review of one space.
type ReviewTx struct {
	c   *conn
	sid int64
}

// ReviewChange runs f in one transaction.
func (s *Store) ReviewChange(ctx context.Context, spaceID string, f func(tx *ReviewTx) error) error {
	return s.change(ctx, "note what changed in files", func(c *conn) error {
		tx := &ReviewTx{c: c}
		found, err := c.one("SELECT sid FROM space WHERE id = ? AND purging = 0", []any{spaceID}, &tx.sid)
		if err != nil {
			return err
		}
		if !found {
			return noSpace(spaceID)
		}
		return f(tx)
	})
}

// ReviewView runs f, which must only read, in one read transaction.
func (s *Store) ReviewView(spaceID string, f func(tx *ReviewTx) error) error {
	return s.viewSpace(spaceID, "read what changed in files", func(c *conn, sid int64) error { return f(&ReviewTx{c: c, sid: sid}) })
}

// AddTurn adds a turn and answers its number.
func (tx *ReviewTx) AddTurn(t ReviewTurn) (int64, error) {
	res, err := tx.c.execResult("INSERT INTO review_turn (sid, what, run_id, prompt_id, started_at, ended_at, late) VALUES (?, ?, ?, ?, ?, ?, ?)",
		tx.sid, t.What, t.RunID, t.PromptID, t.StartedAt, t.EndedAt, t.Late)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// EndTurn notes when a turn ended.
func (tx *ReviewTx) EndTurn(id, at int64) error {
	return tx.c.exec("UPDATE review_turn SET ended_at = ? WHERE tid = ? AND sid = ?", at, id, tx.sid)
}

// LastTurn answers the last turn of a kind; ok is false if there is none.
func (tx *ReviewTx) LastTurn(what string) (t ReviewTurn, ok bool, err error) {
	ok, err = tx.c.one("SELECT tid, what, run_id, prompt_id, started_at, ended_at, late FROM review_turn WHERE sid = ? AND what = ? ORDER BY tid DESC LIMIT 1",
		[]any{tx.sid, what}, &t.ID, &t.What, &t.RunID, &t.PromptID, &t.StartedAt, &t.EndedAt, &t.Late)
	return t, ok, err
}

// NewestTurn answers the last turn of any kind and how many files it touched; ok is false if there is none.
func (tx *ReviewTx) NewestTurn() (t ReviewTurn, files int, ok bool, err error) {
	ok, err = tx.c.one(`SELECT tid, what, started_at, (SELECT count(*) FROM review_touch t WHERE t.tid = review_turn.tid AND plan IS NULL)
		FROM review_turn WHERE sid = ? ORDER BY tid DESC LIMIT 1`, []any{tx.sid}, &t.ID, &t.What, &t.StartedAt, &files)
	return t, files, ok, err
}

// Turn answers a turn by its number.
func (tx *ReviewTx) Turn(id int64) (t ReviewTurn, ok bool, err error) {
	ok, err = tx.c.one("SELECT tid, what, run_id, prompt_id, started_at, ended_at, late FROM review_turn WHERE sid = ? AND tid = ?",
		[]any{tx.sid, id}, &t.ID, &t.What, &t.RunID, &t.PromptID, &t.StartedAt, &t.EndedAt, &t.Late)
	return t, ok, err
}

// PromptTurn answers the first turn of a prompt.
func (tx *ReviewTx) PromptTurn(promptID string) (t ReviewTurn, ok bool, err error) {
	ok, err = tx.c.one("SELECT tid, what, run_id, prompt_id, started_at, ended_at, late FROM review_turn WHERE sid = ? AND prompt_id = ? AND what = 'run' ORDER BY tid LIMIT 1",
		[]any{tx.sid, promptID}, &t.ID, &t.What, &t.RunID, &t.PromptID, &t.StartedAt, &t.EndedAt, &t.Late)
	return t, ok, err
}

const touchColumns = "t.tid, n.what, t.path, t.made, t.before, t.after, t.was, t.plan"

func (tx *ReviewTx) touches(query string, args ...any) ([]ReviewTouch, error) {
	var list []ReviewTouch
	err := tx.c.each(query, args, func(scan func(...any) error) (bool, error) {
		var t ReviewTouch
		var before, after, was, plan []byte
		err := scan(&t.TurnID, &t.What, &t.Path, &t.Made, &before, &after, &was, &plan)
		t.Before, t.After, t.Was, t.Plan = before, after, was, plan
		list = append(list, t)
		return true, err
	})
	return list, err
}

// TouchesSince answers what turns from one on did, in order.
func (tx *ReviewTx) TouchesSince(turn int64) ([]ReviewTouch, error) {
	return tx.touches("SELECT "+touchColumns+" FROM review_touch t JOIN review_turn n USING (tid) WHERE n.sid = ? AND t.tid >= ? AND t.plan IS NULL ORDER BY t.tid, t.path", tx.sid, turn)
}

// TouchesOf answers what one turn did.
func (tx *ReviewTx) TouchesOf(turn int64) ([]ReviewTouch, error) {
	return tx.touches("SELECT "+touchColumns+" FROM review_touch t JOIN review_turn n USING (tid) WHERE n.sid = ? AND t.tid = ? ORDER BY t.path", tx.sid, turn)
}

// Planned answers what was begun and not ended.
func (tx *ReviewTx) Planned() ([]ReviewTouch, error) {
	return tx.touches("SELECT "+touchColumns+" FROM review_touch t JOIN review_turn n USING (tid) WHERE n.sid = ? AND t.plan IS NOT NULL ORDER BY t.tid, t.path", tx.sid)
}

// Touch answers what a turn did to a file.
func (tx *ReviewTx) Touch(turn int64, path string) (t ReviewTouch, ok bool, err error) {
	list, err := tx.touches("SELECT "+touchColumns+" FROM review_touch t JOIN review_turn n USING (tid) WHERE t.tid = ? AND t.path = ?", turn, path)
	if err != nil || len(list) == 0 {
		return t, false, err
	}
	return list[0], true, nil
}

// PutTouch adds or replaces what a turn did to a file.
func (tx *ReviewTx) PutTouch(t ReviewTouch) error {
	return tx.c.exec("INSERT OR REPLACE INTO review_touch (tid, path, made, before, after, was, plan) VALUES (?, ?, ?, ?, ?, ?, ?)",
		t.TurnID, t.Path, t.Made, []byte(t.Before), []byte(t.After), null(t.Was), null(t.Plan))
}

func null(v jsontext.Value) any {
	if v == nil {
		return nil
	}
	return []byte(v)
}

// DropTouch forgets what was planned and did not happen.
func (tx *ReviewTx) DropTouch(turn int64, path string) error {
	return tx.c.exec("DELETE FROM review_touch WHERE tid = ? AND path = ?", turn, path)
}

const fileColumns = "fid, path, made, base, agent, added, removed, at"

func (tx *ReviewTx) files(query string, args ...any) ([]ReviewFile, error) {
	var list []ReviewFile
	err := tx.c.each(query, args, func(scan func(...any) error) (bool, error) {
		var f ReviewFile
		var base, agent []byte
		err := scan(&f.ID, &f.Path, &f.Made, &base, &agent, &f.Added, &f.Removed, &f.At)
		f.Base, f.Agent = base, agent
		list = append(list, f)
		return true, err
	})
	return list, err
}

// Files answers all files with changes to review, by path.
func (tx *ReviewTx) Files() ([]ReviewFile, error) {
	return tx.files("SELECT "+fileColumns+" FROM review_file WHERE sid = ? ORDER BY path", tx.sid)
}

// CountFiles answers how many files have changes to review.
func (tx *ReviewTx) CountFiles() (n int, err error) {
	_, err = tx.c.one("SELECT count(*) FROM review_file WHERE sid = ?", []any{tx.sid}, &n)
	return n, err
}

// File answers a file by its path, FileByID by its number; nil if it has nothing to review.
func (tx *ReviewTx) File(path string) (*ReviewFile, error) {
	return first(tx.files("SELECT "+fileColumns+" FROM review_file WHERE sid = ? AND path = ?", tx.sid, path))
}

// FileByID is File by number.
func (tx *ReviewTx) FileByID(id int64) (*ReviewFile, error) {
	return first(tx.files("SELECT "+fileColumns+" FROM review_file WHERE sid = ? AND fid = ?", tx.sid, id))
}

func first(list []ReviewFile, err error) (*ReviewFile, error) {
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// PutFile adds or changes a file; its number stays.
func (tx *ReviewTx) PutFile(f ReviewFile) error {
	return tx.c.exec(`INSERT INTO review_file (sid, path, made, base, agent, added, removed, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (sid, path) DO UPDATE SET made = excluded.made, base = excluded.base, agent = excluded.agent, added = excluded.added, removed = excluded.removed, at = excluded.at`,
		tx.sid, f.Path, f.Made, []byte(f.Base), []byte(f.Agent), f.Added, f.Removed, f.At)
}

// DropFile tells that nothing is to be reviewed of a file any more.
func (tx *ReviewTx) DropFile(path string) error {
	return tx.c.exec("DELETE FROM review_file WHERE sid = ? AND path = ?", tx.sid, path)
}

// DropAll forgets the review of the space.
func (tx *ReviewTx) DropAll() error {
	for _, q := range []string{
		"DELETE FROM review_touch WHERE tid IN (SELECT tid FROM review_turn WHERE sid = ?)",
		"DELETE FROM review_turn WHERE sid = ?", "DELETE FROM review_file WHERE sid = ?",
	} {
		if err := tx.c.exec(q, tx.sid); err != nil {
			return err
		}
	}
	return nil
}

// OpenReviews answers the turns that have not ended and the spaces with plans that were not carried out:
// what a killed app has left.
func (s *Store) OpenReviews(_ context.Context) (turns []ReviewTurn, planned []string, err error) {
	err = s.view("read what changed in files", func(c *conn) error {
		err := c.each("SELECT n.tid, s.id, n.what, n.run_id, n.prompt_id, n.started_at, n.late FROM review_turn n JOIN space s USING (sid) WHERE n.ended_at = 0", nil,
			func(scan func(...any) error) (bool, error) {
				var t ReviewTurn
				err := scan(&t.ID, &t.SpaceID, &t.What, &t.RunID, &t.PromptID, &t.StartedAt, &t.Late)
				turns = append(turns, t)
				return true, err
			})
		if err != nil {
			return err
		}
		return c.each("SELECT DISTINCT s.id FROM review_touch t JOIN review_turn n USING (tid) JOIN space s USING (sid) WHERE t.plan IS NOT NULL", nil,
			func(scan func(...any) error) (bool, error) {
				var id string
				err := scan(&id)
				planned = append(planned, id)
				return true, err
			})
	})
	return turns, planned, err
}

// PruneReviews forgets all but the last turns of each space and answers every state that is left, for
// what they name to be kept.
func (s *Store) PruneReviews(ctx context.Context, turns int, state func(raw []byte)) error {
	err := s.change(ctx, "forget old changes of files", func(c *conn) error {
		old := `SELECT tid FROM (SELECT tid, ended_at, row_number() OVER (PARTITION BY sid ORDER BY tid DESC) AS n FROM review_turn) WHERE n > ? AND ended_at > 0`
		if err := c.exec("DELETE FROM review_touch WHERE tid IN ("+old+")", turns); err != nil {
			return err
		}
		return c.exec("DELETE FROM review_turn WHERE tid IN ("+old+")", turns)
	})
	if err != nil {
		return err
	}
	return s.view("read what changed in files", func(c *conn) error {
		for _, q := range []string{"SELECT base, agent FROM review_file", "SELECT before, after FROM review_touch", "SELECT was, plan FROM review_touch WHERE was IS NOT NULL OR plan IS NOT NULL"} {
			err := c.each(q, nil, func(scan func(...any) error) (bool, error) {
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
