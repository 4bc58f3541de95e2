package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// pageSize is SQLite's own default; the recovery of a lost first page counts on it.
const pageSize = 4096

// conn is one connection with its prepared statements. One goroutine at a time uses it.
// Statements run without a context: they are short, and a context costs a goroutine each.
type conn struct {
	db    *sql.DB
	c     *sql.Conn
	stmts map[string]*sql.Stmt
}

// dial opens path. mode is the mode of SQLite's URI: rw, rwc or ro.
func dial(path, mode string) (*conn, error) {
	q := "mode=" + mode + "&_dqs=0&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"
	if mode == "ro" {
		q += "&_pragma=query_only(1)&_pragma=cache_size(-4000)"
	} else {
		q += "&_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=wal_autocheckpoint(0)" +
			"&_pragma=journal_size_limit(67108864)&_pragma=cache_size(-8000)&_pragma=temp_store(MEMORY)"
	}
	// On Windows the path has backslashes and a drive: file:///C:/…
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	u := url.URL{Scheme: "file", Path: p, RawQuery: q}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	c, err := db.Conn(context.Background())
	if err != nil {
		db.Close()
		return nil, err
	}
	return &conn{db: db, c: c, stmts: map[string]*sql.Stmt{}}, nil
}

func (c *conn) close() error {
	for _, s := range c.stmts {
		s.Close()
	}
	return errors.Join(c.c.Close(), c.db.Close())
}

// stmt prepares query once. Queries are constants, so there are not many.
func (c *conn) stmt(query string) (*sql.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	s, err := c.c.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s
	return s, nil
}

func (c *conn) exec(query string, args ...any) error {
	_, err := c.execResult(query, args...)
	return err
}

func (c *conn) execResult(query string, args ...any) (sql.Result, error) {
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(context.Background(), args...)
}

// script runs statements that are not worth keeping.
func (c *conn) script(query string) error {
	_, err := c.c.ExecContext(context.Background(), query)
	return err
}

// each calls row for every row of the answer; row returns false to stop early.
func (c *conn) each(query string, args []any, row func(scan func(...any) error) (bool, error)) error {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		more, err := row(rows.Scan)
		if err != nil || !more {
			return err
		}
	}
	return rows.Err()
}

// one scans the first row; found is false if there is none.
func (c *conn) one(query string, args []any, dest ...any) (found bool, err error) {
	err = c.each(query, args, func(scan func(...any) error) (bool, error) {
		found = true
		return false, scan(dest...)
	})
	return found, err
}
