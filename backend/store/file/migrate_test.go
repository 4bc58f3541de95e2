package file

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"weft/backend/store/db"
	"weft/backend/store/schema"
)

func TestMigrationKeepsABackup(t *testing.T) {
	dir := t.TempDir()
	f, c, _, err := Open(t.Context(), dir, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(c.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	}()
	for n := range 4 {
		if err := c.Exec("INSERT INTO message (sid, ord, id, run_id, role, author, model, created_at) VALUES (1, ?1, ?1, '', 'user', x'7b7d', '', 1)", n); err != nil {
			t.Fatal(err)
		}
	}
	current := schema.Migrations()
	steps := append(append([]string(nil), current...), "CREATE TABLE later (x INTEGER) STRICT")
	if err := f.migrate(c, steps); err != nil {
		t.Fatal(err)
	}
	if v, err := schema.Version(c); err != nil || v != len(steps) {
		t.Errorf("version %d, %v, want %d", v, err, len(steps))
	}
	backup, err := db.Dial(filepath.Join(dir, fmt.Sprintf("weft-v%d.backup.db", len(current))), db.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer backup.Close()
	var n int
	if _, err := backup.One("SELECT count(*) FROM message", nil, &n); err != nil || n != 4 {
		t.Errorf("the backup has %d messages, %v, want 4", n, err)
	}
	if err := f.migrate(c, append(steps, "CREATE TABLE broken (")); err == nil {
		t.Error("a broken migration succeeded")
	}
	if v, _ := schema.Version(c); v != len(steps) {
		t.Errorf("a broken migration left version %d, want %d", v, len(steps))
	}
}

// The recovery of a file with an unreadable first page depends on the text of the schema, see graft.
func TestReleasedMigrationsAreUnchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weft.db")
	c, err := db.Dial(path, db.Create)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	steps := schema.Migrations()
	for _, release := range []struct {
		version int
		want    string
	}{{1, "b47e8f84a45cfd65afd8662c27f539025b01b8d2e55d18965ff04b08678f225d"}, {10, "b70e07e516a88ff9874a974842dbf186278bc0a393c41451808748272e57b6c2"}} {
		version, want := release.version, release.want
		v, err := schema.Version(c)
		if err == nil {
			err = schema.Apply(c, steps[:version], v)
		}
		if err != nil {
			t.Fatal(err)
		}
		list, err := db.List[string](c, "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY rowid")
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		for _, sql := range list {
			fmt.Fprintln(sum, sql)
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != want {
			t.Errorf("the schema of version %d has the hash %s, want %s", version, got, want)
		}
	}
}

// TestDatabaseOfEveryReleaseIsMigrated opens a database of each released version, with a row in each table. Released
// migrations don't change, so running them creates the same database as back then.
func TestDatabaseOfEveryReleaseIsMigrated(t *testing.T) {
	steps := schema.Migrations()
	for v := 1; v < len(steps); v++ {
		dir := t.TempDir()
		c, err := db.Dial(filepath.Join(dir, "weft.db"), db.Create)
		if err == nil {
			err = schema.Apply(c, steps[:v], 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Exec("INSERT INTO space (id, title, agent_id, agent_name, folder, created_at, last_activity, epoch) VALUES ('s1', 'Kept', 'guide', 'Guide', '/tmp', 1, 2, 1)"); err != nil {
			t.Fatalf("version %d: %v", v, err)
		}
		if err := c.Exec("INSERT INTO message (sid, ord, id, run_id, role, author, model, created_at, ended_at) VALUES (1, 1, 'm1', '', 'user', x'7b7d', '', 1, 1)"); err != nil {
			t.Fatalf("version %d: %v", v, err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		f, c, recovered, err := Open(t.Context(), dir, Options{Now: time.Now})
		if err != nil || recovered != nil {
			t.Fatalf("version %d: %+v, %v", v, recovered, err)
		}
		var title, message string
		if _, err := c.One("SELECT s.title, m.id FROM space s JOIN message m ON m.sid = s.sid", nil, &title, &message); err != nil || title != "Kept" || message != "m1" {
			t.Errorf("version %d: %q, %q, %v", v, title, message, err)
		}
		if now, err := schema.Version(c); err != nil || now != len(steps) {
			t.Errorf("version %d was brought to %d, %v", v, now, err)
		}
		if err := errors.Join(c.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		before, err := db.Dial(filepath.Join(dir, backupName(v)), db.ReadOnly)
		if err != nil {
			t.Fatalf("version %d has no copy: %v", v, err)
		}
		if was, err := schema.Version(before); err != nil || was != v {
			t.Errorf("the copy of version %d has version %d, %v", v, was, err)
		}
		if _, err := before.One("SELECT title FROM space", nil, &title); err != nil || title != "Kept" {
			t.Errorf("the copy of version %d: %q, %v", v, title, err)
		}
		before.Close()
	}
}

// A newer Weft migrated the database, didn't start and was rolled back.
func TestMigrationOfAWeftThatWasTakenBackIsUndone(t *testing.T) {
	current := schema.Migrations()
	newer := append(append([]string(nil), current...), "CREATE TABLE later (x INTEGER) STRICT")
	for name, c := range map[string]struct {
		tried  time.Duration // from now
		damage bool
		back   bool
	}{
		"the copy was made by it":              {tried: -time.Minute, back: true},
		"the copy is older":                    {tried: time.Hour},
		"the copy is damaged":                  {tried: -time.Minute, damage: true},
		"the copy was made at the same second": {tried: time.Second, back: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f, conn, _, err := Open(t.Context(), dir, Options{Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			err = errors.Join(
				conn.Exec("INSERT INTO message (sid, ord, id, run_id, role, author, model, created_at) VALUES (1, 1, 1, '', 'user', x'7b7d', '', 1)"),
				f.migrate(conn, newer),
				conn.Exec("INSERT INTO later (x) VALUES (1)"),
				conn.Close(),
				f.Unlock(), // without the state that Close records
			)
			if err != nil {
				t.Fatal(err)
			}
			backup := filepath.Join(dir, backupName(len(current)))
			if c.damage {
				if err := os.Truncate(backup, 5000); err != nil {
					t.Fatal(err)
				}
			}
			if _, _, _, err := Open(t.Context(), dir, Options{Now: time.Now}); db.CodeOf(err) != db.CodeNewerVersion {
				t.Fatalf("without a Weft that was taken back: %v", err)
			}
			again, now, rec, err := Open(t.Context(), dir, Options{Now: time.Now, TakenBack: time.Now().Add(c.tried)})
			if !c.back {
				if db.CodeOf(err) != db.CodeNewerVersion {
					t.Fatal(err)
				}
				if _, err := os.Stat(backup); err != nil {
					t.Error(err)
				}
				return
			}
			if err != nil || rec != nil {
				t.Fatal(err, rec)
			}
			var n int
			if _, err := now.One("SELECT count(*) FROM message", nil, &n); err != nil || n != 1 {
				t.Errorf("%d messages, %v", n, err)
			}
			if err := errors.Join(now.Close(), again.Close()); err != nil {
				t.Fatal(err)
			}
			kept, _ := filepath.Glob(filepath.Join(dir, "weft.db.replaced-*"))
			if len(kept) == 0 {
				t.Fatal("the migrated database wasn't kept")
			}
			old, err := db.Dial(kept[0], db.ReadOnly)
			if err != nil {
				t.Fatal(err)
			}
			defer old.Close()
			if _, err := old.One("SELECT count(*) FROM later", nil, &n); err != nil || n != 1 {
				t.Errorf("what was kept has %d, %v", n, err)
			}
		})
	}
}
