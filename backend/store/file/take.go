package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/base/private"
	"weft/backend/store/db"
	"weft/backend/store/schema"
)

// Take copies the rows of the untrusted database at from into a new one at to, which must not exist. It creates the
// tables from migrations, up to the version of from, and reads only their columns. So triggers, views, indexes and
// other tables of from are ignored, and its expressions aren't evaluated. It fails if a table isn't a plain one with
// exactly these columns. It blocks for the whole copy; a failed copy leaves no file. Error codes: damaged,
// newer_version, disk_full, cancelled, io.
func Take(ctx context.Context, from, to string, migrations []string) (err error) {
	defer func() {
		switch {
		case err == nil:
			return
		case ctx.Err() != nil:
			err = db.Canceled(ctx.Err())
		case !slices.Contains([]string{db.CodeNewerVersion, db.CodeDiskFull, db.CodeIO}, db.CodeOf(err)):
			err = fault.New(db.CodeDamaged, "The database {{name}} of the backup is damaged, or Weft didn't make it.", filepath.Base(from)).Because(err)
		}
		removeDB(to)
	}()
	if err := private.Create(to); err != nil {
		return db.Wrap(err, "create {{to}}", to)
	}
	c, err := db.Dial(to, db.ReadWrite)
	if err != nil {
		return db.Wrap(err, "open the database {{path}}", to)
	}
	defer c.Close()
	// The file is new, and is deleted if anything fails.
	if err := c.Script("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON"); err != nil {
		return db.Wrap(err, "create {{to}}", to)
	}
	if err := c.Exec("ATTACH ? AS old", from); err != nil {
		return err
	}
	v := 0
	if _, err := c.One("PRAGMA old.user_version", nil, &v); err != nil {
		return err
	}
	switch {
	case v > len(migrations):
		return db.Fail(db.CodeNewerVersion, "The backup contains the database {{name}} from a newer version of Weft. Update Weft, then restore it.", filepath.Base(from))
	case v < 1:
		return errors.New("it has no version")
	}
	if err := schema.Apply(c, migrations[:v], 0); err != nil {
		return err
	}
	tables, err := db.List[string](c, "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
	if err != nil {
		return err
	}
	for _, table := range tables {
		columns, err := plainColumns(c, table)
		if err != nil {
			return err
		}
		list := strings.Join(columns, ", ")
		if err := run(ctx, c, "INSERT INTO main."+table+" ("+list+") SELECT "+list+" FROM old."+table+" NOT INDEXED"); err != nil {
			return fmt.Errorf("copy the table %s: %w", table, err)
		}
	}
	if slices.Contains(tables, "meta") {
		// Tasks for the next start belong to this folder. Don't take a list of secrets to delete from a file.
		if err := c.Exec("DELETE FROM main.meta WHERE key LIKE 'secrets:%'"); err != nil {
			return err
		}
	}
	if err := c.Script("DETACH old"); err != nil {
		return err
	}
	if err := c.Close(); err != nil {
		return db.Wrap(err, "create {{to}}", to)
	}
	return db.Wrap(synced(to), "create {{to}}", to)
}

// plainColumns returns the columns of a table. The attached database must have a plain table with this name and the
// same columns: no view, virtual table or generated columns.
func plainColumns(c *db.Conn, table string) (columns []string, err error) {
	const names = "SELECT '\"' || name || '\"' FROM pragma_table_xinfo(?, ?) ORDER BY cid"
	if columns, err = db.List[string](c, names, table, "main"); err != nil {
		return nil, err
	}
	plain := 0
	if _, err = c.One("SELECT count(*) FROM pragma_table_list WHERE schema = 'old' AND name = ? AND type = 'table'", []any{table}, &plain); err != nil {
		return nil, err
	}
	computed := 0
	if _, err = c.One("SELECT count(*) FROM pragma_table_xinfo(?, 'old') WHERE hidden <> 0", []any{table}, &computed); err != nil {
		return nil, err
	}
	theirs, err := db.List[string](c, names, table, "old")
	if err != nil {
		return nil, err
	}
	if plain != 1 || computed > 0 || !slices.Equal(columns, theirs) {
		return nil, fmt.Errorf("the table %s isn't one of Weft", table)
	}
	return columns, nil
}

// run runs a statement until it is done or the context ends.
func run(ctx context.Context, c *db.Conn, statement string) error {
	rows, err := c.Query(ctx, statement)
	if err != nil {
		return err
	}
	rows.Next()
	return errors.Join(rows.Err(), rows.Close())
}

func synced(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
