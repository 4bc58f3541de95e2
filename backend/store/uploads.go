package store

import (
	"context"
	"fmt"
	"io"

	"weft/backend/transcript"
)

// uploadUse stands for a message in blob_use: the payload was handed in by the person and may not
// be in a message yet. Ids of messages have a prefix, so none is called this.
const uploadUse = "upload"

// AddUpload stores the ref.Size bytes of r as a payload that no message of the space refers to yet.
// It is kept until [Store.DropUploads]. r is read piece by piece. Errors: not_found (no such space),
// those of the disk, and those of r.
func (s *Store) AddUpload(ctx context.Context, spaceID string, ref transcript.Ref, r io.Reader) error {
	return s.change(ctx, "store the attachment", func(c *conn) error {
		a, err := s.space(c, spaceID)
		if err != nil {
			return err
		}
		var bid int64
		found, err := c.one("SELECT bid FROM blob WHERE hash = ?", []any{ref.Hash}, &bid)
		if err == nil && !found {
			bid, err = insertUpload(c, ref, r)
		}
		if err != nil {
			return err
		}
		return c.exec("INSERT INTO blob_use (bid, sid, message_id, n) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING", bid, a.sid, uploadUse)
	})
}

func insertUpload(c *conn, ref transcript.Ref, r io.Reader) (bid int64, err error) {
	res, err := c.execResult("INSERT INTO blob (hash, size, mime) VALUES (?, ?, ?)", ref.Hash, ref.Size, ref.Mime)
	if err != nil {
		return 0, err
	}
	if bid, err = res.LastInsertId(); err != nil {
		return 0, err
	}
	part := make([]byte, chunk)
	for n, left := 0, ref.Size; left > 0; n++ {
		size, err := io.ReadFull(r, part[:min(chunk, left)])
		if err != nil {
			return 0, fmt.Errorf("read the attachment: %w", err)
		}
		if err := c.exec("INSERT INTO blob_chunk (bid, n, data) VALUES (?, ?, ?)", bid, n, part[:size]); err != nil {
			return 0, err
		}
		left -= int64(size)
	}
	return bid, nil
}

// DropUploads lets go of what was handed in and never sent: nobody has a draft with it any more.
// keep says what still waits to be sent.
func (s *Store) DropUploads(ctx context.Context, keep func(spaceID, hash string) bool) error {
	type upload struct {
		bid, sid    int64
		space, hash string
	}
	var list []upload
	err := s.read(func(c *conn) error {
		return c.each(`SELECT u.bid, u.sid, s.id, b.hash FROM blob_use u JOIN space s USING (sid) JOIN blob b USING (bid)
			WHERE u.message_id = ?`, []any{uploadUse}, func(scan func(...any) error) (bool, error) {
			var u upload
			err := scan(&u.bid, &u.sid, &u.space, &u.hash)
			list = append(list, u)
			return true, err
		})
	})
	if err != nil {
		return wrap(err, "look for attachments that were not sent")
	}
	for _, u := range list {
		if keep(u.space, u.hash) {
			continue
		}
		err := s.change(ctx, "let go of an attachment", func(c *conn) error {
			if err := c.exec("DELETE FROM blob_use WHERE bid = ? AND sid = ? AND message_id = ?", u.bid, u.sid, uploadUse); err != nil {
				return err
			}
			return dropUnused(c, u.bid)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
