package reviews

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/store/db"
)

// maxAccepted is the number of accepted changes kept per space for a commit. The oldest are dropped.
const maxAccepted = 5000

// Accepted is a change of a file that the user has accepted. Time is unix ms.
type Accepted struct {
	Path          string
	Before, After jsontext.Value
	At            int64
}

// AddAccepted adds an accepted change.
func (tx *Tx) AddAccepted(a Accepted) error {
	if err := tx.c.Exec("INSERT INTO review_accepted (sid, path, before, after, at) VALUES (?, ?, ?, ?, ?)", tx.sid, a.Path, []byte(a.Before), []byte(a.After), a.At); err != nil {
		return err
	}
	return tx.c.Exec("DELETE FROM review_accepted WHERE sid = ?1 AND aid IN (SELECT aid FROM review_accepted WHERE sid = ?1 ORDER BY aid DESC LIMIT -1 OFFSET ?2)", tx.sid, maxAccepted)
}

// LastAccepted returns the change of a file that was accepted last. ok is false if there is none.
func (tx *Tx) LastAccepted(path string) (a Accepted, ok bool, err error) {
	var before, after []byte
	ok, err = tx.c.One("SELECT before, after, at FROM review_accepted WHERE sid = ? AND path = ? ORDER BY aid DESC LIMIT 1", []any{tx.sid, path}, &before, &after, &a.At)
	a.Path, a.Before, a.After = path, before, after
	return a, ok, err
}

// DropLastAccepted removes the change of a file that was accepted last.
func (tx *Tx) DropLastAccepted(path string) error {
	return tx.c.Exec("DELETE FROM review_accepted WHERE aid = (SELECT max(aid) FROM review_accepted WHERE sid = ? AND path = ?)", tx.sid, path)
}

// Accepted returns the accepted changes, by file and in the order in which they were accepted. A change that continues
// the one before is merged with it; two that cancel out are left out.
func (tx *Tx) Accepted() ([]Accepted, error) {
	var list []Accepted
	err := tx.c.Each("SELECT path, before, after, at FROM review_accepted WHERE sid = ? ORDER BY path, aid", []any{tx.sid}, func(scan db.Scan) (bool, error) {
		var a Accepted
		var before, after []byte
		err := scan(&a.Path, &before, &after, &a.At)
		a.Before, a.After = before, after
		last := len(list) - 1
		if last < 0 || list[last].Path != a.Path || !bytes.Equal(list[last].After, a.Before) {
			list = append(list, a)
			return true, err
		}
		list[last].After, list[last].At = a.After, a.At
		if bytes.Equal(list[last].Before, a.After) {
			list = list[:last]
		}
		return true, err
	})
	return list, err
}
