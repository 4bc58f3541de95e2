package store

import (
	"context"
	"errors"
	"io"

	"weft/backend/transcript"
)

// chunk is how much of a blob a row holds, so that reading one does not need it whole.
const chunk = 256 << 10

// writeBlobs stores the blobs of a group and counts who refers to them. What comes and goes
// within one append is never written.
func (w *writer) writeBlobs(group []*request) error {
	for _, req := range group {
		st := req.append
		if len(st.Blobs)+len(st.Superseded) == 0 {
			continue
		}
		uses, order, data := map[string]int{}, []string(nil), map[string]*transcript.Blob{}
		use := func(hash string, by int) {
			if _, seen := uses[hash]; !seen {
				order = append(order, hash)
			}
			uses[hash] += by
		}
		for i := range st.Blobs {
			b := &st.Blobs[i]
			data[b.Ref.Hash] = b
			use(b.Ref.Hash, 1)
		}
		for _, hash := range st.Superseded {
			use(hash, -1)
		}
		for _, hash := range order {
			if err := w.useBlob(st, hash, uses[hash], data[hash]); err != nil {
				return err
			}
		}
	}
	return nil
}

// useBlob changes how often a message refers to a blob; b is its content if it may be new.
func (w *writer) useBlob(st *staged, hash string, by int, b *transcript.Blob) error {
	if by == 0 {
		return nil
	}
	var bid int64
	found, err := w.c.one("SELECT bid FROM blob WHERE hash = ?", []any{hash}, &bid)
	if err != nil {
		return err
	}
	if !found {
		if b == nil || by < 0 || b.Data == nil && b.Ref.Size > 0 {
			return nil
		}
		if bid, err = w.insertBlob(b); err != nil {
			return err
		}
	}
	if by > 0 {
		return w.c.exec(`INSERT INTO blob_use (bid, sid, message_id, n) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET n = n + excluded.n`, bid, st.space.sid, st.MessageID, by)
	}
	if err := w.c.exec("UPDATE blob_use SET n = n + ? WHERE bid = ? AND sid = ? AND message_id = ?", by, bid, st.space.sid, st.MessageID); err != nil {
		return err
	}
	if err := w.c.exec("DELETE FROM blob_use WHERE bid = ? AND sid = ? AND message_id = ? AND n <= 0", bid, st.space.sid, st.MessageID); err != nil {
		return err
	}
	return dropUnused(w.c, bid)
}

func (w *writer) insertBlob(b *transcript.Blob) (bid int64, err error) {
	res, err := w.c.execResult("INSERT INTO blob (hash, size, mime) VALUES (?, ?, ?)", b.Ref.Hash, len(b.Data), b.Ref.Mime)
	if err != nil {
		return 0, err
	}
	if bid, err = res.LastInsertId(); err != nil {
		return 0, err
	}
	for n, data := 0, b.Data; len(data) > 0; n++ {
		part := data[:min(chunk, len(data))]
		data = data[len(part):]
		if err := w.c.exec("INSERT INTO blob_chunk (bid, n, data) VALUES (?, ?, ?)", bid, n, part); err != nil {
			return 0, err
		}
	}
	return bid, nil
}

// dropUnused deletes a blob that nobody refers to.
func dropUnused(c *conn, bid int64) error {
	if err := c.exec("DELETE FROM blob WHERE bid = ?1 AND NOT EXISTS (SELECT 1 FROM blob_use WHERE bid = ?1)", bid); err != nil {
		return err
	}
	return c.exec("DELETE FROM blob_chunk WHERE bid = ?1 AND NOT EXISTS (SELECT 1 FROM blob WHERE bid = ?1)", bid)
}

// Blob answers the payload with that hash, to be read piece by piece: no more than 256 KiB
// of it are in memory. Reading fails with not_found if the blob is deleted meanwhile.
func (s *Store) Blob(ctx context.Context, hash string) (io.ReadSeeker, transcript.Ref, error) {
	ref, r := transcript.Ref{Hash: hash}, &blobReader{ctx: ctx, s: s, n: -1}
	var found bool
	err := s.read(func(c *conn) (err error) {
		found, err = c.one("SELECT bid, size, mime FROM blob WHERE hash = ?", []any{hash}, &r.bid, &ref.Size, &ref.Mime)
		return err
	})
	if err == nil && !found {
		err = noBlob()
	}
	if err != nil {
		return nil, ref, wrap(err, "read a payload")
	}
	r.size = ref.Size
	return r, ref, nil
}

// BlobBytes answers a payload whole.
func (s *Store) BlobBytes(ctx context.Context, hash string) ([]byte, transcript.Ref, error) {
	r, ref, err := s.Blob(ctx, hash)
	if err != nil {
		return nil, ref, err
	}
	b := make([]byte, ref.Size)
	_, err = io.ReadFull(r, b)
	return b, ref, err
}

func noBlob() error { return fail(CodeNotFound, "This content is not kept any more.") }

// blobReader reads a blob chunk by chunk.
type blobReader struct {
	ctx       context.Context //nolint:containedctx // an io.Reader has no other way
	s         *Store
	bid, size int64
	pos       int64
	n         int64 // of the chunk in data
	data      []byte
}

func (r *blobReader) Read(p []byte) (int, error) {
	if r.pos >= r.size {
		return 0, io.EOF
	}
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if n := r.pos / chunk; n != r.n {
		found := false
		err := r.s.read(func(c *conn) (err error) {
			found, err = c.one("SELECT data FROM blob_chunk WHERE bid = ? AND n = ?", []any{r.bid, n}, &r.data)
			return err
		})
		if err == nil && !found {
			err = noBlob()
		}
		if err != nil {
			return 0, wrap(err, "read a payload")
		}
		r.n = n
	}
	at := int(r.pos % chunk)
	if at >= len(r.data) {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, r.data[at:])
	r.pos += int64(n)
	return n, nil
}

func (r *blobReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.pos
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start of a blob")
	}
	r.pos = offset
	return offset, nil
}
