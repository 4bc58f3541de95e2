package blobs

import (
	"io"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// Restoring adds payloads in a transaction in which they arrive after the references to them.
type Restoring struct {
	c       *db.Conn
	missing map[string]int64 // bids by hash of payloads without data so far
}

// Restore returns a Restoring for a transaction.
func Restore(c *db.Conn) *Restoring { return &Restoring{c: c, missing: map[string]int64{}} }

// Use adds a reference from a message to a payload.
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

// Add adds the data of a payload and reads from to the end. A payload to which no message refers is kept while one of
// the spaces exists, because another payload may refer to it.
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
	if _, err := io.Copy(io.Discard, from); err != nil { // verifies the data
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

// End deletes the payloads without data and returns their number.
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
