package blobs

import (
	"io"

	"weft/backend/store/db"
	"weft/backend/transcript"
)

// Restoring adds payloads within a transaction in which they come behind what refers to them.
type Restoring struct {
	c       *db.Conn
	missing map[string]int64 // hashes of payloads whose data has not come yet, and their bids
}

// Restore returns one for a transaction.
func Restore(c *db.Conn) *Restoring { return &Restoring{c: c, missing: map[string]int64{}} }

// Use notes that a message refers to a payload once more.
func (r *Restoring) Use(sid int64, messageID string, ref transcript.Ref) error {
	var bid int64
	found, err := r.c.One("SELECT bid FROM blob WHERE hash = ?", []any{ref.Hash}, &bid)
	if err == nil && !found {
		if bid, err = r.c.Insert("INSERT INTO blob (hash, size, mime) VALUES (?, ?, ?)", ref.Hash, ref.Size, ref.Mime); err == nil {
			r.missing[ref.Hash] = bid
		}
	}
	if err != nil {
		return err
	}
	return r.c.Exec(`INSERT INTO blob_use (bid, sid, message_id, n) VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1`, bid, sid, messageID)
}

// Add adds the data of a payload, which r has to its end. One that no message refers to is kept for as long as one of the spaces is there:
// another payload may refer to it.
func (r *Restoring) Add(sids []int64, ref transcript.Ref, from io.Reader) error {
	var bid int64
	found, err := r.c.One("SELECT bid FROM blob WHERE hash = ?", []any{ref.Hash}, &bid)
	if err != nil {
		return err
	}
	_, wanted := r.missing[ref.Hash]
	switch {
	case wanted:
		delete(r.missing, ref.Hash)
		if err := r.c.Exec("UPDATE blob SET size = ? WHERE bid = ?", ref.Size, bid); err != nil {
			return err
		}
		if err := insertChunks(r.c, bid, ref.Size, from); err != nil {
			return err
		}
	case found:
		if _, err := io.Copy(io.Discard, from); err != nil {
			return err
		}
	default:
		if bid, err = insertFrom(r.c, ref, from); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, from); err != nil { // its end says whether the data is what it should be
		return err
	}
	for _, sid := range sids {
		var used bool
		if _, err := r.c.One("SELECT EXISTS (SELECT 1 FROM blob_use WHERE bid = ? AND sid = ?)", []any{bid, sid}, &used); err != nil {
			return err
		}
		if used {
			continue
		}
		if err := r.c.Exec("INSERT INTO blob_use (bid, sid, message_id, n) VALUES (?, ?, '', 1)", bid, sid); err != nil {
			return err
		}
	}
	return nil
}

// End forgets the payloads whose data never came, and returns how many there are.
func (r *Restoring) End() (missing int, err error) {
	for _, bid := range r.missing {
		if err := r.c.Exec("DELETE FROM blob_use WHERE bid = ?", bid); err != nil {
			return 0, err
		}
		if err := deleteUnused(r.c, bid); err != nil {
			return 0, err
		}
	}
	return len(r.missing), nil
}
