package blobs

import "weft/backend/store/db"

// Range returns the bytes [from, to) of a blob, up to its end. It returns nothing if the blob is gone.
func Range(c *db.Conn, hash string, from, to int64) (out []byte, err error) {
	for n := from / chunk; n*chunk < to; n++ {
		var data []byte
		found, err := c.One("SELECT c.data FROM blob b JOIN blob_chunk c ON c.bid = b.bid WHERE b.hash = ? AND c.n = ?", []any{hash, n}, &data)
		if err != nil || !found {
			return out, err
		}
		lo, hi := max(0, from-n*chunk), min(int64(len(data)), to-n*chunk)
		if lo < hi {
			out = append(out, data[lo:hi]...)
		}
	}
	return out, nil
}

// Chunks passes each chunk of a blob to take, until take returns false or an error. A missing blob has no chunks.
func Chunks(c *db.Conn, hash string, take func(data []byte) (more bool, err error)) error {
	return c.Each("SELECT c.data FROM blob b JOIN blob_chunk c ON c.bid = b.bid WHERE b.hash = ? ORDER BY c.n", []any{hash}, func(scan db.Scan) (bool, error) {
		var data []byte
		if err := scan(&data); err != nil {
			return false, err
		}
		return take(data)
	})
}
