package reviews

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/store/db"
)

// maxAccepted is how many accepted changes of a space are kept for a commit; the oldest ones go.
const maxAccepted = 2000

// Accepted is a change of a file that the user has accepted. Time is unix ms.
type Accepted struct {
	Path          string
	Before, After jsontext.Value
	At            int64
}

// AddAccepted adds an accepted change. One that continues the last one of the same file is joined with it.
func (tx *Tx) AddAccepted(a Accepted) error {
	var id int64
	var before, after []byte
	found, err := tx.c.One("SELECT aid, before, after FROM review_accepted WHERE sid = ? AND path = ? ORDER BY aid DESC LIMIT 1", []any{tx.sid, a.Path}, &id, &before, &after)
	switch {
	case err != nil:
		return err
	case found && bytes.Equal(after, a.Before) && bytes.Equal(before, a.After):
		return tx.c.Exec("DELETE FROM review_accepted WHERE aid = ?", id)
	case found && bytes.Equal(after, a.Before):
		return tx.c.Exec("UPDATE review_accepted SET after = ?, at = ? WHERE aid = ?", []byte(a.After), a.At, id)
	}
	if err := tx.c.Exec("INSERT INTO review_accepted (sid, path, before, after, at) VALUES (?, ?, ?, ?, ?)", tx.sid, a.Path, []byte(a.Before), []byte(a.After), a.At); err != nil {
		return err
	}
	return tx.c.Exec("DELETE FROM review_accepted WHERE sid = ?1 AND aid IN (SELECT aid FROM review_accepted WHERE sid = ?1 ORDER BY aid DESC LIMIT -1 OFFSET ?2)", tx.sid, maxAccepted)
}

// Accepted returns the accepted changes, by file and in the order in which they were accepted.
func (tx *Tx) Accepted() ([]Accepted, error) {
	var list []Accepted
	err := tx.c.Each("SELECT path, before, after, at FROM review_accepted WHERE sid = ? ORDER BY path, aid", []any{tx.sid}, func(scan db.Scan) (bool, error) {
		var a Accepted
		var before, after []byte
		err := scan(&a.Path, &before, &after, &a.At)
		a.Before, a.After = before, after
		list = append(list, a)
		return true, err
	})
	return list, err
}
