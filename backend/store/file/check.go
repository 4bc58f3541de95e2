package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"weft/backend/base/fault"
	"weft/backend/store/db"
	"weft/backend/store/schema"
)

// Complete checks run when the user doesn't notice. A file that is as Close left it is checked once a week in the
// background; any other file when it is opened, or in the background if it is larger than checkNow. Damage found in the
// background is recorded in weft.db.suspect, and the next start checks first.
const (
	checkNow   = 32 << 20
	checkEvery = 7 * 24 * time.Hour
)

func (f *File) suspectPath() string { return f.Path() + ".suspect" }

// openChecked opens the file. If its content is damaged, it returns the damage and no connection.
func (f *File) openChecked(info fs.FileInfo) (c *db.Conn, damage, err error) {
	if info.Size() == 0 {
		return nil, errors.New("the file is empty"), nil
	}
	c, err = db.Dial(f.Path(), db.ReadWrite)
	if err == nil {
		err = knows(c, f.Path())
	}
	if err == nil {
		whole := exists(f.suspectPath()) || !f.unchanged(info) && info.Size() <= checkNow
		if err = check(context.Background(), c, whole); err == nil && whole {
			os.Remove(f.suspectPath())
			f.checked = true
		}
	}
	if err == nil {
		return c, nil, nil
	}
	if c != nil {
		c.Close()
	}
	err = db.Wrap(err, "open the database {{path}}", f.Path())
	if db.CodeOf(err) == db.CodeDamaged {
		return nil, errors.Unwrap(err), nil
	}
	return nil, nil, err
}

// knows returns an error if the database at path was not made by this version of Weft or an older one.
func knows(c *db.Conn, path string) error {
	v, err := schema.Version(c)
	if err != nil {
		return err
	}
	if known := len(schema.Migrations()); v > known {
		var before fault.Said
		if name := filepath.Join(filepath.Dir(path), backupName(known)); exists(name) {
			before = fault.Say(" The conversations as they were before that version are in {{path}}: to return to them, rename it to weft.db.", name)
		}
		return db.Fail(db.CodeNewerVersion, "{{path}} was created by a newer version of Weft (database version {{version}}, this program supports up to {{known}}). Update Weft, or start it with another data folder (--data FOLDER).{{before}}", path, v, known, before)
	}
	if v == 0 {
		return fault.New(db.CodeDamaged, "The database has no version.").Because(errors.New("the file has no schema of Weft"))
	}
	return nil
}

// check returns an error with the code damaged if the file is damaged.
func check(ctx context.Context, c *db.Conn, whole bool) error {
	query := "SELECT 'ok' FROM (SELECT count(*) FROM sqlite_schema), (SELECT count(*) FROM space)"
	if whole {
		query = "PRAGMA quick_check(1)"
	}
	rows, err := c.Query(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	verdict := ""
	for rows.Next() && verdict == "" {
		if err := rows.Scan(&verdict); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if verdict != "ok" {
		return fault.New(db.CodeDamaged, "The database is damaged. Restart Weft to repair it.").Because(errors.New(verdict))
	}
	return nil
}

func (f *File) leftPath() string { return f.Path() + ".left" }

// leave records the state in which Close leaves the file.
func (f *File) leave() {
	if info, err := os.Stat(f.Path()); err == nil {
		_ = os.WriteFile(f.leftPath(), []byte(mark(info)), 0o600)
	}
}

// unchanged reports whether the file is as Close left it.
func (f *File) unchanged(info fs.FileInfo) bool {
	b, err := os.ReadFile(f.leftPath())
	return err == nil && string(b) == mark(info)
}

func mark(info fs.FileInfo) string {
	return fmt.Sprintf("size %d modified %d\n", info.Size(), info.ModTime().UnixNano())
}

// checkedKey is the meta key for the time of the last complete check that found no damage, in unix ms.
const checkedKey = "checked_at"

// CheckInBackground starts a complete check of the file of d if one is due.
func (f *File) CheckInBackground(d *db.DB) {
	if f.checked {
		return
	}
	value, _, _ := d.Meta().Get(context.Background(), checkedKey)
	at, _ := strconv.ParseInt(value, 10, 64)
	if f.asLeft && f.opt.Now().Sub(time.UnixMilli(at)) < checkEvery {
		return
	}
	d.Go(func(ctx context.Context) {
		err := f.checkWhole(ctx, d)
		var damage *db.Error
		if errors.As(err, &damage) && damage.Code == db.CodeDamaged {
			f.Suspect(damage)
		}
	})
}

func (f *File) checkWhole(ctx context.Context, d *db.DB) error {
	c, err := db.Dial(f.Path(), db.ReadOnly)
	if err != nil {
		return db.Wrap(err, "check the database")
	}
	defer c.Close()
	if err := check(ctx, c, true); err != nil {
		return db.Wrap(err, "check the database")
	}
	return d.Meta().Set(ctx, checkedKey, strconv.FormatInt(f.opt.Now().UnixMilli(), 10))
}

// Suspect records damage found while Weft runs, and reports it.
func (f *File) Suspect(damage *db.Error) {
	_ = os.WriteFile(f.suspectPath(), []byte(damage.Error()+"\n"), 0o600)
	if f.opt.OnDamage != nil {
		f.opt.OnDamage(damage)
	}
}
