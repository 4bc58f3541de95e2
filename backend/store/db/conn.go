package db

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

// PageSize is the size of a page of the file, SQLite's default. The recovery of a lost first page depends on it.
const PageSize = 4096

// Conn is one connection with its prepared statements. Only one goroutine may use it at a time. Statements run without
// a context: they are short, and a context costs a goroutine each.
type Conn struct {
	pool  *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // by query; queries are constants, so there are few
}

// Modes of [Dial].
const (
	ReadWrite = "rw"  // the file must exist
	Create    = "rwc" // the file is created
	ReadOnly  = "ro"
)

// Scan copies the columns of a row, like [sql.Rows.Scan].
type Scan = func(dest ...any) error

// Dial opens the file at path. While another program writes to it, statements that write wait for up to 5 seconds.
func Dial(path, mode string) (*Conn, error) {
	q := "mode=" + mode + "&_dqs=0&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"
	if mode == ReadOnly {
		q += "&_pragma=query_only(1)&_pragma=cache_size(-4000)"
	} else {
		q += "&_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=wal_autocheckpoint(0)" +
			"&_pragma=journal_size_limit(67108864)&_pragma=cache_size(-8000)&_pragma=temp_store(MEMORY)"
	}
	// A path on Windows has backslashes and a drive: file:///C:/…
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	u := url.URL{Scheme: "file", Path: p, RawQuery: q}
	pool, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	pool.SetMaxOpenConns(1)
	c, err := pool.Conn(context.Background())
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &Conn{pool: pool, conn: c, stmts: map[string]*sql.Stmt{}}, nil
}

// Close closes the connection.
func (c *Conn) Close() error {
	for _, s := range c.stmts {
		s.Close()
	}
	return errors.Join(c.conn.Close(), c.pool.Close())
}

// stmt prepares query once.
func (c *Conn) stmt(query string) (*sql.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	s, err := c.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s
	return s, nil
}

// Exec runs a statement.
func (c *Conn) Exec(query string, args ...any) error {
	_, err := c.ExecResult(query, args...)
	return err
}

// ExecResult is Exec for callers that need the number of changed rows or the id of the new one.
func (c *Conn) ExecResult(query string, args ...any) (sql.Result, error) {
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(context.Background(), args...)
}

// ExecRow runs a statement and reports whether it changed a row.
func (c *Conn) ExecRow(query string, args ...any) (changed bool, err error) {
	res, err := c.ExecResult(query, args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// Insert runs an INSERT statement and returns the id of the new row.
func (c *Conn) Insert(query string, args ...any) (id int64, err error) {
	res, err := c.ExecResult(query, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// Script runs one or more statements that are not prepared.
func (c *Conn) Script(query string) error {
	_, err := c.conn.ExecContext(context.Background(), query)
	return err
}

// Each calls row for each row of the result. row returns false to stop early.
func (c *Conn) Each(query string, args []any, row func(scan Scan) (bool, error)) error {
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

// One scans the first row of the result. found is false if there is none.
func (c *Conn) One(query string, args []any, dest ...any) (found bool, err error) {
	err = c.Each(query, args, func(scan Scan) (bool, error) {
		found = true
		return false, scan(dest...)
	})
	return found, err
}

// Query runs a query that may take long. The context interrupts it.
func (c *Conn) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return c.conn.QueryContext(ctx, query, args...)
}

// Raw calls f with the connection of the driver.
func (c *Conn) Raw(f func(driverConn any) error) error { return c.conn.Raw(f) }

// List returns the values of the only column of a query.
func List[T any](c *Conn, query string, args ...any) (list []T, err error) {
	err = c.Each(query, args, func(scan Scan) (bool, error) {
		var v T
		err := scan(&v)
		list = append(list, v)
		return true, err
	})
	return list, err
}
