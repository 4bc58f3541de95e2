package store

import (
	"fmt"
	"os"
)

// migrate brings an older file to the current version, after copying it to
// weft-vN.backup.db beside it.
func (s *Store) migrate(c *conn, steps []string) error {
	v, err := userVersion(c)
	if err != nil {
		return wrap(err, "read the version of the database")
	}
	if v == len(steps) {
		return nil
	}
	backup := fmt.Sprintf("%s/weft-v%d.backup.db", s.dir, v)
	os.Remove(backup)
	if err := c.exec("VACUUM INTO ?", backup); err != nil {
		return wrap(err, "back up the database before changing it")
	}
	s.opt.Log.Info().Int("from", v).Int("to", len(steps)).Str("backup", backup).Msg("migrating the database")
	return wrap(applyMigrations(c, steps, v), "migrate the database")
}

func applyMigrations(c *conn, steps []string, from int) error {
	for v := from; v < len(steps); v++ {
		err := c.script("BEGIN IMMEDIATE;" + steps[v] + fmt.Sprintf(";PRAGMA user_version=%d;COMMIT", v+1))
		if err != nil {
			_ = c.script("ROLLBACK")
			return fmt.Errorf("version %d: %w", v+1, err)
		}
	}
	return nil
}

func userVersion(c *conn) (v int, err error) {
	_, err = c.one("PRAGMA user_version", nil, &v)
	return v, err
}
