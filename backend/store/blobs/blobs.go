// Package blobs stores payloads that are too large for an event: each payload once, in chunks, under its SHA-256, while
// a message or a space refers to it.
package blobs

import (
	"context"
	"errors"
	"io"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// chunk is the size of a chunk in bytes. Chunks allow reading a blob without loading all of it.
const chunk = 256 << 10

// Blobs are the stored payloads.
type Blobs struct{ db *db.DB }

// New returns the blobs in d.
func New(d *db.DB) *Blobs { return &Blobs{d} }

// Open returns the blob with this hash. Reading fails with not_found if the blob is deleted in the meantime, and with
// the context's error when ctx ends. It loads chunks of 256 KiB.
func (b *Blobs) Open(ctx context.Context, hash string) (io.ReadSeeker, transcript.Ref, error) {
	ref, r := transcript.Ref{Hash: hash}, &reader{ctx: ctx, db: b.db, n: -1}
	err := b.db.Read(ctx, "read the content", func(c *db.Conn) error {
		found, err := c.One("SELECT bid, size, mime FROM blob WHERE hash = ?", []any{hash}, &r.bid, &ref.Size, &ref.Mime)
		if err == nil && !found {
			err = notFound()
		}
		return err
	})
	if err != nil {
		return nil, ref, err
	}
	r.size = ref.Size
	return r, ref, nil
}

// Bytes returns a whole blob.
func (b *Blobs) Bytes(ctx context.Context, hash string) ([]byte, transcript.Ref, error) {
	r, ref, err := b.Open(ctx, hash)
	if err != nil {
		return nil, ref, err
	}
	data := make([]byte, ref.Size)
	_, err = io.ReadFull(r, data)
	return data, ref, err
}

func notFound() error { return db.Fail(db.CodeNotFound, "This content is no longer available.") }

// reader reads a blob chunk by chunk.
type reader struct {
	ctx       context.Context //nolint:containedctx // io.Reader has no context parameter
	db        *db.DB
	bid, size int64
	pos       int64
	n         int64 // index of the chunk in data
	data      []byte
}

func (r *reader) Read(p []byte) (int, error) {
	if r.pos >= r.size {
		return 0, io.EOF
	}
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if n := r.pos / chunk; n != r.n {
		err := r.db.Read(r.ctx, "read the content", func(c *db.Conn) error {
			found, err := c.One("SELECT data FROM blob_chunk WHERE bid = ? AND n = ?", []any{r.bid, n}, &r.data)
			if err == nil && !found {
				err = notFound()
			}
			return err
		})
		if err != nil {
			return 0, err
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

func (r *reader) Seek(offset int64, whence int) (int64, error) {
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
