package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
)

// Damage is looked for where it costs nothing that a person would notice: a file up to
// checkNow is checked whole when it is opened, a larger one behind the start. What is
// found there is noted in the file suspectName, which makes the next start check first.
const checkNow = 24 << 20

func (s *Store) suspectPath() string { return s.path() + ".suspect" }

// openChecked opens the file. damage is what is wrong with its content; then there is no
// connection.
func (s *Store) openChecked(info fs.FileInfo) (c *conn, damage, err error) {
	if info != nil && info.Size() == 0 {
		return nil, errors.New("the file is empty"), nil
	}
	c, err = dial(s.path(), "rw")
	if err == nil {
		err = s.refuseNewer(c)
	}
	if err == nil {
		_, suspect := os.Stat(s.suspectPath())
		err = check(c.c, info != nil && (info.Size() <= checkNow || suspect == nil))
	}
	if err == nil {
		return c, nil, nil
	}
	if c != nil {
		c.close()
	}
	err = wrap(err, "open the database "+s.path())
	if CodeOf(err) == CodeDamaged {
		return nil, errors.Unwrap(err), nil
	}
	return nil, nil, err
}

func (s *Store) refuseNewer(c *conn) error {
	v, err := userVersion(c)
	if err != nil {
		return err
	}
	if v > len(migrations) {
		return fail(CodeNewerVersion, "%s was written by a newer Weft (format %d, this one knows %d). Update Weft, or start it with another data folder (--data DIR).",
			s.path(), v, len(migrations))
	}
	if v == 0 {
		return &Error{Code: CodeDamaged, Message: "the database has no version", Err: errors.New("the file has no schema of Weft")}
	}
	return nil
}

// check answers a damaged error if the file does not hold together.
func check(c *sql.Conn, whole bool) error {
	query := "SELECT 'ok' FROM (SELECT count(*) FROM sqlite_schema), (SELECT count(*) FROM space)"
	if whole {
		query = "PRAGMA quick_check(1)"
	}
	var verdict string
	if err := c.QueryRowContext(context.Background(), query).Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return &Error{Code: CodeDamaged, Message: "The database is damaged.", Err: errors.New(verdict)}
	}
	return nil
}

// checkLater checks a large file on a connection of its own until Close.
func (s *Store) checkLater() {
	info, err := os.Stat(s.path())
	if err != nil || info.Size() <= checkNow {
		os.Remove(s.suspectPath())
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.tasks.Add(2)
	done := make(chan struct{})
	go func() {
		defer s.tasks.Done()
		defer cancel()
		select {
		case <-s.closing:
		case <-done:
		}
	}()
	go func() {
		defer s.tasks.Done()
		defer close(done)
		err := s.checkWhole(ctx)
		if CodeOf(err) != CodeDamaged {
			return
		}
		s.suspect(err)
	}()
}

func (s *Store) checkWhole(ctx context.Context) error {
	c, err := dial(s.path(), "ro")
	if err != nil {
		return wrap(err, "check the database")
	}
	defer c.close()
	var verdict string
	if err := c.c.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return wrap(err, "check the database")
	}
	if verdict != "ok" {
		return &Error{Code: CodeDamaged, Message: "The database is damaged. Restart Weft to repair it.", Err: errors.New(verdict)}
	}
	os.Remove(s.suspectPath())
	return nil
}

// suspect notes damage that was met while running.
func (s *Store) suspect(err error) {
	_ = os.WriteFile(s.suspectPath(), []byte(err.Error()+"\n"), 0o600)
	var e *Error
	if s.opt.OnDamage != nil && errors.As(err, &e) {
		s.opt.OnDamage(e)
	}
}
