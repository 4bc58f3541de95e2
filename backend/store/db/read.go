package db

import (
	"context"
	"errors"

	"weft/backend/fault"
)

// Read calls f with a read-only connection. While all of them are in use it waits, until ctx ends; f itself is not interrupted.
// Each query of f sees what is committed when it begins; use [DB.View] if they belong together. doing is as in [Wrap].
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

// View is Read in one transaction: everything that f reads belongs to the same commit.
func (d *DB) View(ctx context.Context, doing fault.Template, f func(c *Conn) error) error {
	return d.Read(ctx, doing, func(c *Conn) error {
		if err := c.Exec("BEGIN"); err != nil {
			return err
		}
		return errors.Join(f(c), c.Exec("COMMIT"))
	})
}
