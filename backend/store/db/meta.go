package db

import "context"

// Meta stores values of the app by key.
type Meta struct{ db *DB }

// Meta returns the values of the app.
func (d *DB) Meta() *Meta { return &Meta{d} }

// Set stores a value, replacing an earlier one.
func (m *Meta) Set(ctx context.Context, key, value string) error {
	return m.db.Change(ctx, "save a value", func(c *Conn) error { return PutMeta(c, key, value) })
}

// Get returns a value. ok is false if there is none.
func (m *Meta) Get(ctx context.Context, key string) (value string, ok bool, err error) {
	err = m.db.Read(ctx, "read a value", func(c *Conn) (err error) {
		ok, err = c.One("SELECT value FROM meta WHERE key = ?", []any{key}, &value)
		return err
	})
	return value, ok, err
}

// PutMeta is [Meta.Set] within a change.
func PutMeta(c *Conn, key, value string) error {
	return c.Exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
}
