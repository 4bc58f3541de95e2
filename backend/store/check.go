package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// Damage is looked for where it costs nothing that a person would notice. A file that is as it was left by
// Close is checked behind the start, once a week; any other one when it is opened, or behind the start
// if it is larger than checkNow. What is found behind the start is noted in the file
// weft.db.suspect, which makes the next start check first.
const (
	checkNow   = 32 << 20
	checkEvery = 7 * 24 * time.Hour
)

func (s *Store) suspectPath() string { return s.path() + ".suspect" }

// openChecked opens the file. damage is what is wrong with its content; then there is no
// connection.
func (s *Store) openChecked(info fs.FileInfo) (c *conn, damage, err error) {
	if info.Size() == 0 {
		return nil, errors.New("the file is empty"), nil
	}
	c, err = dial(s.path(), "rw")
	if err == nil {
		err = s.refuseNewer(c)
	}
	if err == nil {
		whole := exists(s.suspectPath()) || !s.asLeft(info) && info.Size() <= checkNow
		if err = check(c.c, whole); err == nil && whole {
			os.Remove(s.suspectPath())
			s.checked = true
		}
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
		return fail(CodeNewerVersion, "%s was written by a newer Weft (format %d, this one knows %d). "+
			"Update Weft, or start it with another data folder (--data DIR).", s.path(), v, len(migrations))
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

func (s *Store) leftPath() string { return s.path() + ".left" }

// leave notes how Close leaves the file.
func (s *Store) leave() {
	if info, err := os.Stat(s.path()); err == nil {
		_ = os.WriteFile(s.leftPath(), []byte(mark(info)), 0o600)
	}
}

// asLeft reports whether nobody has changed the file since Close.
func (s *Store) asLeft(info fs.FileInfo) bool {
	b, err := os.ReadFile(s.leftPath())
	return err == nil && string(b) == mark(info)
}

func mark(info fs.FileInfo) string {
	return fmt.Sprintf("size %d modified %d\n", info.Size(), info.ModTime().UnixNano())
}

// checkedKey is, in meta, when the whole file was last found to be sound (unix ms).
const checkedKey = "checked_at"

// checkLater checks the file on a connection of its own until Close, if it is time to.
func (s *Store) checkLater(asLeft bool) {
	if s.checked {
		return
	}
	value, _, _ := s.GetMeta(context.Background(), checkedKey)
	at, _ := strconv.ParseInt(value, 10, 64)
	if asLeft && s.opt.Now().Sub(time.UnixMilli(at)) < checkEvery {
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
	return s.SetMeta(ctx, checkedKey, strconv.FormatInt(s.opt.Now().UnixMilli(), 10))
}

// suspect notes damage that was met while running.
func (s *Store) suspect(err error) {
	_ = os.WriteFile(s.suspectPath(), []byte(err.Error()+"\n"), 0o600)
	var e *Error
	if s.opt.OnDamage != nil && errors.As(err, &e) {
		s.opt.OnDamage(e)
	}
}
