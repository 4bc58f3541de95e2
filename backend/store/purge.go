package store

import "context"

// purgeStep is how many segments one transaction of a purge deletes.
const purgeStep = 500

// PurgeSpace deletes a space for ever, deleted before or not, with the blobs that nobody else
// refers to. It works in small transactions, so that other spaces do not wait; if
// it is interrupted, the next start goes on. Nobody can read or write the space from its first step on.
func (s *Store) PurgeSpace(ctx context.Context, id string) error {
	_, err := s.purgeSpace(ctx, id, "")
	return err
}

// PurgeDeleted is [Store.PurgeSpace] for a space that is still deleted, since before that time (unix ms); done is false if it is not.
func (s *Store) PurgeDeleted(ctx context.Context, id string, before int64) (done bool, err error) {
	return s.purgeSpace(ctx, id, " AND deleted_at > 0 AND deleted_at < ?", before)
}

func (s *Store) purgeSpace(ctx context.Context, id, only string, args ...any) (bool, error) {
	var sid int64
	// With a new epoch nothing of its journal is valid any more.
	err := s.submit(ctx, &request{do: func(c *conn) error {
		sid = 0
		a, err := s.space(c, id)
		if err != nil {
			return err
		}
		found, err := c.one("SELECT sid FROM space WHERE sid = ?"+only, append([]any{a.sid}, args...), &sid)
		if err != nil || !found {
			return err
		}
		if err := leaveTree(c, sid); err != nil {
			return err
		}
		return c.exec("UPDATE space SET purging = 1, deleted_at = max(deleted_at, 1), epoch = ? WHERE sid = ?", newEpoch(), sid)
	}, committed: func() {
		if sid != 0 {
			s.goneFor(id)
		}
	}})
	if err != nil || sid == 0 {
		return false, wrap(err, "delete the conversation for ever")
	}
	return true, s.purge(ctx, sid)
}

// resumePurges goes on with what the last session did not finish.
func (s *Store) resumePurges() {
	s.tasks.Add(1)
	go func() {
		defer s.tasks.Done()
		var found []int64
		err := s.read(func(c *conn) error {
			return c.each("SELECT sid FROM space WHERE purging = 1", nil, func(scan func(...any) error) (bool, error) {
				var sid int64
				err := scan(&sid)
				found = append(found, sid)
				return true, err
			})
		})
		for _, sid := range found {
			if err == nil {
				err = s.purge(context.Background(), sid)
			}
		}
		if err != nil && CodeOf(err) != CodeClosed {
			s.opt.Log.Warn().Err(err).Msg("purge of deleted conversations")
		}
	}()
}

func (s *Store) purge(ctx context.Context, sid int64) error {
	for more := true; more; {
		err := s.change(ctx, "delete the conversation for ever", func(c *conn) (err error) {
			more, err = purgeSome(c, sid)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// goneFor forgets a space and refuses what still comes for it; it runs on the writer's goroutine.
func (s *Store) goneFor(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.active[id]; a != nil {
		delete(s.active, id)
		s.w.journal.release(&a.journal)
	}
}

// purgeSome deletes the end of the last message of a space, or in the end the space.
func purgeSome(c *conn, sid int64) (more bool, err error) {
	var mid int64
	var segments int
	found, err := c.one(`SELECT mid, coalesce((SELECT max(idx) + 1 FROM segment s WHERE s.mid = message.mid), 0)
		FROM message WHERE sid = ? ORDER BY ord DESC LIMIT 1`, []any{sid}, &mid, &segments)
	if err != nil {
		return false, err
	}
	if !found {
		return purgeRest(c, sid)
	}
	from := max(segments-purgeStep, 0)
	for _, table := range []string{"text_part", "item_part", "call_body", "item", "group_count", "live_terminal"} {
		if err := c.exec("DELETE FROM "+table+" WHERE mid = ? AND seg >= ?", mid, from); err != nil {
			return false, err
		}
	}
	if err := c.exec("DELETE FROM segment WHERE mid = ? AND idx >= ?", mid, from); err != nil || from > 0 {
		return true, err
	}
	if err := c.exec("DELETE FROM opaque WHERE mid = ?", mid); err != nil {
		return false, err
	}
	return true, c.exec("DELETE FROM message WHERE mid = ?", mid)
}

// purgeRest deletes what is left of a space without messages: some blobs, or else all of it.
func purgeRest(c *conn, sid int64) (more bool, err error) {
	var bids []int64
	err = c.each("SELECT DISTINCT bid FROM blob_use WHERE sid = ? LIMIT 64", []any{sid}, func(scan func(...any) error) (bool, error) {
		var bid int64
		err := scan(&bid)
		bids = append(bids, bid)
		return true, err
	})
	if err != nil {
		return false, err
	}
	for _, bid := range bids {
		if err := c.exec("DELETE FROM blob_use WHERE bid = ? AND sid = ?", bid, sid); err != nil {
			return false, err
		}
		if err := dropUnused(c, bid); err != nil {
			return false, err
		}
	}
	if len(bids) > 0 {
		return true, nil
	}
	if err := c.exec("DELETE FROM review_touch WHERE tid IN (SELECT tid FROM review_turn WHERE sid = ?)", sid); err != nil {
		return false, err
	}
	for _, table := range []string{"review_file", "review_turn", "state", "session", "run", "member", "space"} {
		if err := c.exec("DELETE FROM "+table+" WHERE sid = ?", sid); err != nil {
			return false, err
		}
	}
	return false, nil
}
