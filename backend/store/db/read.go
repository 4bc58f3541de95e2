package db

import (
	"context"
	"errors"

	"weft/backend/base/fault"
)

// Read calls f with a read-only connection. If all are in use, it waits for one until ctx ends; f itself is not
// interrupted. Each query in f sees what was committed when the query began; use [DB.View] for one consistent state.
// doing is as in [Wrap].
func (d *DB) Read(ctx context.Context, doing fault.Template, f func(c *Conn) error) error {
	select {
	case <-d.closing:
		return Closed()
	default:
	}
	c, err := d.reader(ctx)
	if err != nil {
		return err
	}
	defer func() { d.readers <- c }()
	return Wrap(f(c), doing)
}

// reader takes a free connection, or waits for one.
func (d *DB) reader(ctx context.Context) (*Conn, error) {
	select {
	case c := <-d.readers:
		return c, nil
	default:
	}
	select {
	case c := <-d.readers:
		return c, nil
	case <-ctx.Done():
		return nil, Canceled(ctx.Err())
	case <-d.closing:
		return nil, Closed()
	}
}

// View is Read in one transaction: all queries in f see the same commit.
func (d *DB) View(ctx context.Context, doing fault.Template, f func(c *Conn) error) error {
	return d.Read(ctx, doing, func(c *Conn) error {
		if err := c.Exec("BEGIN"); err != nil {
			return err
		}
		return errors.Join(f(c), c.Exec("COMMIT"))
	})
}
