package blobs

import (
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// Change adds and drops references to blobs.
type Change struct {
	Space     int64  // sid
	MessageID string // "": of the space itself
	Added     []transcript.Blob
	Dropped   []string // hashes, one for each dropped reference
}

// Apply stores the added blobs and deletes those without references. It never writes a blob that the same change adds
// and drops.
func Apply(c *db.Conn, ch Change) error {
	uses, order, data := map[string]int{}, []string(nil), map[string]*transcript.Blob{}
	use := func(hash string, by int) {
		if _, seen := uses[hash]; !seen {
			order = append(order, hash)
		}
		uses[hash] += by
	}
	for i := range ch.Added {
		b := &ch.Added[i]
		data[b.Ref.Hash] = b
		use(b.Ref.Hash, 1)
	}
	for _, hash := range ch.Dropped {
		use(hash, -1)
	}
	for _, hash := range order {
		if err := ch.use(c, hash, uses[hash], data[hash]); err != nil {
			return err
		}
	}
	return nil
}

// use adds by to the number of references from the message to a blob. b is the content if the blob may be new.
func (ch *Change) use(c *db.Conn, hash string, by int, b *transcript.Blob) error {
	if by == 0 {
		return nil
	}
	var bid int64
	found, err := c.One("SELECT bid FROM blob WHERE hash = ?", []any{hash}, &bid)
	if err != nil {
		return err
	}
	if !found {
		if b == nil || by < 0 || b.Data == nil && b.Ref.Size > 0 {
			return nil
		}
		if bid, err = insert(c, b); err != nil {
			return err
		}
	}
	if by > 0 {
		return c.Exec(`INSERT INTO blob_use (bid, sid, message_id, n) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET n = n + excluded.n`, bid, ch.Space, ch.MessageID, by)
	}
	if err := c.Exec("UPDATE blob_use SET n = n + ? WHERE bid = ? AND sid = ? AND message_id = ?", by, bid, ch.Space, ch.MessageID); err != nil {
		return err
	}
	if err := c.Exec("DELETE FROM blob_use WHERE bid = ? AND sid = ? AND message_id = ? AND n <= 0", bid, ch.Space, ch.MessageID); err != nil {
		return err
	}
	return deleteUnused(c, bid)
}

func insert(c *db.Conn, b *transcript.Blob) (bid int64, err error) {
	if bid, err = c.Insert("INSERT INTO blob (hash, size, mime) VALUES (?, ?, ?)", b.Ref.Hash, len(b.Data), b.Ref.Mime); err != nil {
		return 0, err
	}
	for n, data := 0, b.Data; len(data) > 0; n++ {
		part := data[:min(chunk, len(data))]
		data = data[len(part):]
		if err := c.Exec("INSERT INTO blob_chunk (bid, n, data) VALUES (?, ?, ?)", bid, n, part); err != nil {
			return 0, err
		}
	}
	return bid, nil
}

// Release drops the references of a space to some blobs. more reports whether there may be others.
func Release(c *db.Conn, sid int64) (more bool, err error) {
	bids, err := db.List[int64](c, "SELECT DISTINCT bid FROM blob_use WHERE sid = ? LIMIT 64", sid)
	for _, bid := range bids {
		if err != nil {
			return false, err
		}
		if err = c.Exec("DELETE FROM blob_use WHERE bid = ? AND sid = ?", bid, sid); err == nil {
			err = deleteUnused(c, bid)
		}
	}
	return len(bids) > 0, err
}

// deleteUnused deletes a blob if it has no references.
func deleteUnused(c *db.Conn, bid int64) error {
	if err := c.Exec("DELETE FROM blob WHERE bid = ?1 AND NOT EXISTS (SELECT 1 FROM blob_use WHERE bid = ?1)", bid); err != nil {
		return err
	}
	return c.Exec("DELETE FROM blob_chunk WHERE bid = ?1 AND NOT EXISTS (SELECT 1 FROM blob WHERE bid = ?1)", bid)
}
