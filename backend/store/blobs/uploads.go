package blobs

import (
	"context"
	"fmt"
	"io"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// UploadUse replaces the message id in the table blob_use for an attachment that may not be in a message yet. No
// message has this id, because message ids have a prefix.
const UploadUse = "upload"

// AddUpload stores the ref.Size bytes of r as a blob of the space and keeps it until [Blobs.DropUploads], even if no
// message refers to it. It reads r within the transaction, and all other writes wait: r must be a local file, never a
// connection. Errors: not_found (no such space), those of the disk, and those of r.
func (b *Blobs) AddUpload(ctx context.Context, spaceID string, ref transcript.Ref, r io.Reader) error {
	return b.db.Change(ctx, "save the attachment", func(c *db.Conn) error {
		var sid, bid int64
		found, err := c.One("SELECT sid FROM space WHERE id = ? AND purging = 0", []any{spaceID}, &sid)
		if err == nil && !found {
			err = spaces.NotFound(spaceID)
		}
		if err != nil {
			return err
		}
		found, err = c.One("SELECT bid FROM blob WHERE hash = ?", []any{ref.Hash}, &bid)
		if err == nil && !found {
			bid, err = insertFrom(c, ref, r)
		}
		if err != nil {
			return err
		}
		return c.Exec("INSERT INTO blob_use (bid, sid, message_id, n) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING", bid, sid, UploadUse)
	})
}

func insertFrom(c *db.Conn, ref transcript.Ref, r io.Reader) (bid int64, err error) {
	if bid, err = c.Insert("INSERT INTO blob (hash, size, mime) VALUES (?, ?, ?)", ref.Hash, ref.Size, ref.Mime); err != nil {
		return 0, err
	}
	return bid, insertChunks(c, bid, ref.Size, r)
}

// insertChunks stores size bytes of r as the data of a blob.
func insertChunks(c *db.Conn, bid, size int64, r io.Reader) error {
	part := make([]byte, min(chunk, size))
	for n, left := 0, size; left > 0; n++ {
		read, err := io.ReadFull(r, part[:min(chunk, left)])
		if err != nil {
			return fmt.Errorf("read the attachment: %w", err)
		}
		if err := c.Exec("INSERT INTO blob_chunk (bid, n, data) VALUES (?, ?, ?)", bid, n, part[:read]); err != nil {
			return err
		}
		left -= int64(read)
	}
	return nil
}

// DropUploads deletes attachments that were never sent. keep reports whether an attachment may still be sent.
func (b *Blobs) DropUploads(ctx context.Context, keep func(spaceID, hash string) bool) error {
	type upload struct {
		bid, sid    int64
		space, hash string
	}
	var list []upload
	err := b.db.Read(ctx, "look for attachments that weren't sent", func(c *db.Conn) error {
		return c.Each(`SELECT u.bid, u.sid, s.id, b.hash FROM blob_use u JOIN space s USING (sid) JOIN blob b USING (bid)
			WHERE u.message_id = ?`, []any{UploadUse}, func(scan db.Scan) (bool, error) {
			var u upload
			err := scan(&u.bid, &u.sid, &u.space, &u.hash)
			list = append(list, u)
			return true, err
		})
	})
	if err != nil {
		return err
	}
	for _, u := range list {
		if keep(u.space, u.hash) {
			continue
		}
		err := b.db.Change(ctx, "delete an attachment", func(c *db.Conn) error {
			if err := c.Exec("DELETE FROM blob_use WHERE bid = ? AND sid = ? AND message_id = ?", u.bid, u.sid, UploadUse); err != nil {
				return err
			}
			return deleteUnused(c, u.bid)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
