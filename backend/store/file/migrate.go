package file

import (
	"fmt"
	"os"
	"path/filepath"

	"weft/backend/store/db"
	"weft/backend/store/schema"
)

// backupName is the name of a copy that was made before a migration from version v.
func backupName(v int) string { return fmt.Sprintf("weft-v%d.backup.db", v) }

// migrate brings an older database to the current version. Before that it copies the database to weft-vN.backup.db.
func (f *File) migrate(c *db.Conn, migrations []string) error {
	v, err := schema.Version(c)
	if err != nil {
		return db.Wrap(err, "read the version of the database")
	}
	if v == len(migrations) {
		return nil
	}
	backup := filepath.Join(f.dir, backupName(v))
	os.Remove(backup)
	if err := c.Exec("VACUUM INTO ?", backup); err != nil {
		return db.Wrap(err, "back up the database before the migration")
	}
	f.opt.Log.Info().Int("from", v).Int("to", len(migrations)).Str("backup", backup).Msg("migrating the database")
	return db.Wrap(schema.Apply(c, migrations, v), "migrate the database")
}
