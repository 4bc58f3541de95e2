package reviews

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/store/db"
)

// AddTurn adds a turn and returns its number.
func (tx *Tx) AddTurn(t Turn) (int64, error) {
	return tx.c.Insert("INSERT INTO review_turn (sid, what, run_id, prompt_id, started_at, ended_at, late) VALUES (?, ?, ?, ?, ?, ?, ?)",
		tx.sid, t.What, t.RunID, t.PromptID, t.StartedAt, t.EndedAt, t.Late)
}

// EndTurn stores when a turn ended.
func (tx *Tx) EndTurn(id, at int64) error {
	return tx.c.Exec("UPDATE review_turn SET ended_at = ? WHERE tid = ? AND sid = ?", at, id, tx.sid)
}

// LastTurn returns the last turn of a kind. ok is false if there is none.
func (tx *Tx) LastTurn(what string) (t Turn, ok bool, err error) {
	ok, err = tx.c.One("SELECT tid, what, run_id, prompt_id, started_at, ended_at, late FROM review_turn WHERE sid = ? AND what = ? ORDER BY tid DESC LIMIT 1",
		[]any{tx.sid, what}, &t.ID, &t.What, &t.RunID, &t.PromptID, &t.StartedAt, &t.EndedAt, &t.Late)
	return t, ok, err
}

// NewestTurn returns the last turn of any kind, and the number of files that it changed, or of folders if it changed no
// files. ok is false if there is none.
func (tx *Tx) NewestTurn() (t Turn, files int, ok bool, err error) {
	var folders int
	ok, err = tx.c.One(`SELECT tid, what, started_at, (SELECT count(*) FROM review_touch t WHERE t.tid = review_turn.tid AND plan IS NULL`+isFile+`),
		(SELECT count(*) FROM review_touch t WHERE t.tid = review_turn.tid AND plan IS NULL`+isFolder+`)
		FROM review_turn WHERE sid = ? ORDER BY tid DESC LIMIT 1`, []any{tx.sid}, &t.ID, &t.What, &t.StartedAt, &files, &folders)
	return t, cmp.Or(files, folders), ok, err
}

// Turn returns a turn by its number.
func (tx *Tx) Turn(id int64) (t Turn, ok bool, err error) {
	ok, err = tx.c.One("SELECT tid, what, run_id, prompt_id, started_at, ended_at, late FROM review_turn WHERE sid = ? AND tid = ?",
		[]any{tx.sid, id}, &t.ID, &t.What, &t.RunID, &t.PromptID, &t.StartedAt, &t.EndedAt, &t.Late)
	return t, ok, err
}

// PromptTurn returns the first turn of a prompt.
func (tx *Tx) PromptTurn(promptID string) (t Turn, ok bool, err error) {
	ok, err = tx.c.One("SELECT tid, what, run_id, prompt_id, started_at, ended_at, late FROM review_turn WHERE sid = ? AND prompt_id = ? AND what = 'run' ORDER BY tid LIMIT 1",
		[]any{tx.sid, promptID}, &t.ID, &t.What, &t.RunID, &t.PromptID, &t.StartedAt, &t.EndedAt, &t.Late)
	return t, ok, err
}

// RunTurn returns the turn of a run. ok is false if there is none.
func (tx *Tx) RunTurn(runID string) (t Turn, ok bool, err error) {
	ok, err = tx.c.One("SELECT tid, what, run_id, prompt_id, started_at, ended_at, late FROM review_turn WHERE run_id = ? AND run_id <> '' AND sid = ? ORDER BY tid DESC LIMIT 1",
		[]any{runID, tx.sid}, &t.ID, &t.What, &t.RunID, &t.PromptID, &t.StartedAt, &t.EndedAt, &t.Late)
	return t, ok, err
}

const touchColumns = "t.tid, n.what, t.path, t.made, t.before, t.after, t.was, t.plan"

func (tx *Tx) touches(query string, args ...any) ([]Touch, error) {
	var list []Touch
	err := tx.c.Each(query, args, func(scan db.Scan) (bool, error) {
		var t Touch
		var before, after, was, plan []byte
		err := scan(&t.TurnID, &t.What, &t.Path, &t.Made, &before, &after, &was, &plan)
		t.Before, t.After, t.Was, t.Plan = before, after, was, plan
		list = append(list, t)
		return true, err
	})
	return list, err
}

// TouchesSince returns the touches of a turn and of the later ones, in order.
func (tx *Tx) TouchesSince(turn int64) ([]Touch, error) {
	return tx.touches("SELECT "+touchColumns+" FROM review_touch t JOIN review_turn n USING (tid) WHERE n.sid = ? AND t.tid >= ? AND t.plan IS NULL ORDER BY t.tid, t.path", tx.sid, turn)
}

// TouchesOf returns the touches of one turn.
func (tx *Tx) TouchesOf(turn int64) ([]Touch, error) {
	return tx.touches("SELECT "+touchColumns+" FROM review_touch t JOIN review_turn n USING (tid) WHERE n.sid = ? AND t.tid = ? ORDER BY t.path", tx.sid, turn)
}

// Planned returns the touches that were planned but not carried out.
func (tx *Tx) Planned() ([]Touch, error) {
	return tx.touches("SELECT "+touchColumns+" FROM review_touch t JOIN review_turn n USING (tid) WHERE n.sid = ? AND t.plan IS NOT NULL ORDER BY t.tid, t.path", tx.sid)
}

// Touch returns what a turn did to a file.
func (tx *Tx) Touch(turn int64, path string) (t Touch, ok bool, err error) {
	list, err := tx.touches("SELECT "+touchColumns+" FROM review_touch t JOIN review_turn n USING (tid) WHERE t.tid = ? AND t.path = ?", turn, path)
	if err != nil || len(list) == 0 {
		return t, false, err
	}
	return list[0], true, nil
}

// PutTouch adds or replaces what a turn did to a file.
func (tx *Tx) PutTouch(t Touch) error {
	return tx.c.Exec("INSERT OR REPLACE INTO review_touch (tid, path, made, before, after, was, plan) VALUES (?, ?, ?, ?, ?, ?, ?)",
		t.TurnID, t.Path, t.Made, []byte(t.Before), []byte(t.After), null(t.Was), null(t.Plan))
}

func null(v jsontext.Value) any {
	if v == nil {
		return nil
	}
	return []byte(v)
}

// DropTouch deletes a planned touch that was not carried out.
func (tx *Tx) DropTouch(turn int64, path string) error {
	return tx.c.Exec("DELETE FROM review_touch WHERE tid = ? AND path = ?", turn, path)
}
