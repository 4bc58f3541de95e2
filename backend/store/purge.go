package store

import (
	"context"

	"weft/backend/store/blobs"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// purgeStep is the number of segments deleted per transaction.
const purgeStep = 500

// PurgeSpace permanently deletes a space and the blobs that only it uses. The space need not be deleted first. From the
// first transaction on, the space can't be read or written. The transactions are small, so that other writes don't wait
// long. An interrupted purge continues at the next start.
func (s *Store) PurgeSpace(ctx context.Context, id string) error {
	_, err := s.purgeSpace(ctx, id, "")
	return err
}

// PurgeDeleted purges a space, like [Store.PurgeSpace], if it was deleted before a time (unix ms). done is false if it
// was deleted later, or restored.
func (s *Store) PurgeDeleted(ctx context.Context, id string, before int64) (done bool, err error) {
	return s.purgeSpace(ctx, id, " AND deleted_at > 0 AND deleted_at < ?", before)
}

func (s *Store) purgeSpace(ctx context.Context, id, only string, args ...any) (bool, error) {
	var sid int64
	err := s.db.ChangeThen(ctx, "delete the conversation permanently", func(c *db.Conn) error {
		sid = 0
		known, err := c.One("SELECT sid FROM space WHERE id = ? AND purging = 0", []any{id}, new(int64))
		if err != nil {
			return err
		}
		if !known {
			return spaces.NotFound(id)
		}
		found, err := c.One("SELECT sid FROM space WHERE id = ?"+only, append([]any{id}, args...), &sid)
		if err != nil || !found {
			return err
		}
		if err := spaces.LeaveTree(c, sid); err != nil {
			return err
		}
		// The new epoch invalidates the space's journal.
		return c.Exec("UPDATE space SET purging = 1, deleted_at = max(deleted_at, 1), epoch = ? WHERE sid = ?", spaces.NewEpoch(), sid)
	}, func() {
		if sid != 0 {
			s.Events.Drop(id)
		}
	})
	if err != nil || sid == 0 {
		return false, err
	}
	return true, s.purge(ctx, sid)
}

// resumePurges continues interrupted purges.
func (s *Store) resumePurges(ctx context.Context) error {
	var sids []int64
	err := s.db.Read(ctx, "look for deleted conversations", func(c *db.Conn) (err error) {
		sids, err = db.List[int64](c, "SELECT sid FROM space WHERE purging = 1")
		return err
	})
	for _, sid := range sids {
		if err == nil {
			err = s.purge(ctx, sid)
		}
	}
	return err
}

func (s *Store) purge(ctx context.Context, sid int64) error {
	for more := true; more; {
		err := s.db.Change(ctx, "delete the conversation permanently", func(c *db.Conn) (err error) {
			more, err = s.purgeSome(c, sid)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// purgeSome deletes the end of the last message of a space or, without messages, the rest of the space.
func (s *Store) purgeSome(c *db.Conn, sid int64) (more bool, err error) {
	var mid int64
	var segments int
	found, err := c.One(`SELECT mid, coalesce((SELECT max(idx) + 1 FROM segment s WHERE s.mid = message.mid), 0)
		FROM message WHERE sid = ? ORDER BY ord DESC LIMIT 1`, []any{sid}, &mid, &segments)
	if err != nil {
		return false, err
	}
	if !found {
		return purgeRest(c, sid)
	}
	from := max(segments-purgeStep, 0)
	first := from
	if from == 0 {
		first = -1 // the message's error is deleted with its first segments
	}
	if err := s.Search.Purge(c, mid, first); err != nil {
		return false, err
	}
	for _, table := range []string{"text_part", "item_part", "call_body", "item", "group_count", "live_terminal"} {
		if err := c.Exec("DELETE FROM "+table+" WHERE mid = ? AND seg >= ?", mid, from); err != nil {
			return false, err
		}
	}
	if err := c.Exec("DELETE FROM segment WHERE mid = ? AND idx >= ?", mid, from); err != nil || from > 0 {
		return true, err
	}
	if err := c.Exec("DELETE FROM opaque WHERE mid = ?", mid); err != nil {
		return false, err
	}
	return true, c.Exec("DELETE FROM message WHERE mid = ?", mid)
}

// purgeRest deletes some blobs of a space without messages, or the space itself if it has no blobs.
func purgeRest(c *db.Conn, sid int64) (more bool, err error) {
	if more, err := blobs.Release(c, sid); err != nil || more {
		return more, err
	}
	if err := c.Exec("DELETE FROM review_touch WHERE tid IN (SELECT tid FROM review_turn WHERE sid = ?)", sid); err != nil {
		return false, err
	}
	if err := c.Exec("DELETE FROM meta WHERE key = ? || (SELECT id FROM space WHERE sid = ?)", sourceKey(""), sid); err != nil {
		return false, err
	}
	for _, table := range []string{"review_file", "review_accepted", "review_turn", "state", "session", "run", "imported", "member", "space_pin", "space_tag", "draft", "space"} {
		if err := c.Exec("DELETE FROM "+table+" WHERE sid = ?", sid); err != nil {
			return false, err
		}
	}
	return false, nil
}
