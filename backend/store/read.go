package store

import "errors"

// read lends f a read-only connection. It waits while all of them are in use.
func (s *Store) read(f func(c *conn) error) error {
	select {
	case <-s.closing:
		return fail(CodeClosed, "Weft is closing.")
	default:
	}
	select {
	case c := <-s.readers:
		defer func() { s.readers <- c }()
		return f(c)
	case <-s.closing:
		return fail(CodeClosed, "Weft is closing.")
	}
}

// view runs f in one read transaction: everything it reads stands at the same event.
func (s *Store) view(doing string, f func(c *conn) error) error {
	err := s.read(func(c *conn) error {
		if err := c.exec("BEGIN"); err != nil {
			return err
		}
		return errors.Join(f(c), c.exec("COMMIT"))
	})
	return wrap(err, doing)
}

// viewSpace is view for one space that is not deleted.
func (s *Store) viewSpace(id, doing string, f func(c *conn, sid int64) error) error {
	return s.view(doing, func(c *conn) error {
		var sid int64
		found, err := c.one("SELECT sid FROM space WHERE id = ? AND deleted_at = 0", []any{id}, &sid)
		if err != nil {
			return err
		}
		if !found {
			return noSpace(id)
		}
		return f(c, sid)
	})
}

// viewMessage is view for one message of a space.
func (s *Store) viewMessage(spaceID, messageID, doing string, f func(c *conn, mid int64) error) error {
	return s.viewSpace(spaceID, doing, func(c *conn, sid int64) error {
		var mid int64
		found, err := c.one("SELECT mid FROM message WHERE sid = ? AND id = ?", []any{sid, messageID}, &mid)
		if err != nil {
			return err
		}
		if !found {
			return fail(CodeNotFound, "There is no message %q in this conversation.", messageID)
		}
		return f(c, mid)
	})
}
