package backup

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/backend/base/fault"
	"weft/backend/base/private"
	"weft/backend/changes/review/snapshots"
	"weft/backend/store/db"
	"weft/backend/store/schema"
)

// remade returns a backup whose databases were changed by statements of SQLite, with sums that are right.
func remade(t *testing.T, weft, review string) string {
	t.Helper()
	from := t.TempDir()
	s := openStore(t, from)
	newSpace(t, s, "one")
	say(t, s, "one", "m", "kept as it was")
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	r, _, err := snapshots.Open(from, now)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	files := map[string]string{}
	m := Manifest{Format: format, Version: 1}
	for name, script := range map[string]string{databaseName: weft, reviewsName: review} {
		path := filepath.Join(from, name)
		c, err := sql.Open("sqlite", path+"?_pragma=journal_mode(DELETE)&_pragma=writable_schema(1)")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Exec(script); err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		c.Close()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
		m.Files = append(m.Files, entry(name, text))
	}
	return archive(t, m, files)
}

func entry(name string, text []byte) Entry {
	sum := sha256.Sum256(text)
	return Entry{Name: name, Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}
}

// objects returns what the schema of a database says.
func objects(t *testing.T, path string) (list []string) {
	t.Helper()
	c, err := db.Dial(path, db.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err = db.List[string](c, "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

const endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT "

// Whatever a database of a backup has besides the tables of Weft stays outside, and a table of Weft that isn't as Weft makes it is refused.
func TestRestoreTakesRowsOfKnownTablesOnly(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "plain")
	openStore(t, plain).Close(ctx)
	r, _, err := snapshots.Open(plain, now)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	for name, c := range map[string]struct{ weft, review, code string }{
		"as it is":          {},
		"trigger":           {weft: "CREATE TRIGGER evil AFTER INSERT ON message BEGIN DELETE FROM space; UPDATE permission_rule SET effect='allow'; END"},
		"trigger on update": {weft: "CREATE TRIGGER evil AFTER UPDATE ON space BEGIN INSERT INTO meta VALUES ('x','y'); END; UPDATE space SET title=title"},
		"view":              {weft: "CREATE VIEW evil AS SELECT * FROM message"},
		"forget list":       {weft: "INSERT INTO meta VALUES ('secrets:forget', '[\"keychain:OPENAI_API_KEY\"]')"},
		"trigger on a view": {weft: "CREATE VIEW evil AS SELECT 1 x; CREATE TRIGGER evil2 INSTEAD OF INSERT ON evil BEGIN DELETE FROM space; END"},
		"table":             {weft: "CREATE TABLE evil (x); INSERT INTO evil VALUES (zeroblob(100000))"},
		"virtual table":     {weft: "CREATE VIRTUAL TABLE evil USING fts5(x)"},
		"index":             {weft: "CREATE INDEX evil ON message (length(hex(id)) || id)"},
		"unique index":      {weft: "CREATE UNIQUE INDEX evil ON message (role)"},
		"statistics":        {weft: "ANALYZE"},
		"review trigger":    {review: "CREATE TRIGGER evil AFTER INSERT ON object BEGIN DELETE FROM object; END"},
		"review table":      {review: "CREATE TABLE evil (x)"},

		"view as table":       {weft: "DROP TABLE space_pin; CREATE VIEW space_pin AS SELECT 1 sid, 1 n", code: "damaged"},
		"endless view":        {weft: "ALTER TABLE space RENAME TO space2; CREATE VIEW space AS " + endless + "x sid FROM n", code: "damaged"},
		"missing table":       {weft: "DROP TABLE draft", code: "damaged"},
		"generated column":    {weft: "ALTER TABLE draft ADD COLUMN x TEXT GENERATED ALWAYS AS (hex(zeroblob(1000000000))) VIRTUAL", code: "damaged"},
		"another column":      {weft: "ALTER TABLE draft ADD COLUMN x TEXT", code: "damaged"},
		"default":             {weft: "DROP TABLE draft; CREATE TABLE draft (sid INTEGER PRIMARY KEY, text TEXT DEFAULT (hex(randomblob(100))), more BLOB, filled INTEGER, edited_at INTEGER)", code: "*"},
		"check":               {weft: "DROP TABLE tag; CREATE TABLE tag (tid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, tone INTEGER NOT NULL, CHECK (length(hex(zeroblob(1000000000))) > 1)) STRICT", code: "*"},
		"virtual as table":    {weft: "DROP TABLE tag; CREATE VIRTUAL TABLE tag USING fts5(tid, id, name, tone)", code: "damaged"},
		"schema no statement": {weft: "UPDATE sqlite_schema SET sql = sql || ' evil' WHERE name = 'tag'", code: "*"},
		"two of a name":       {weft: "INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'tag'", code: "*"},
		"root of another":     {weft: "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'space') WHERE name = 'space_pin'", code: "*"},
		"version":             {weft: "PRAGMA user_version=2", code: "damaged"},
		"no version":          {weft: "PRAGMA user_version=0", code: "damaged"},
		"newer":               {weft: "PRAGMA user_version=99", code: "newer_version"},
		"negative version":    {weft: "PRAGMA user_version=-1", code: "damaged"},
		"review view":         {review: "DROP TABLE dir; CREATE VIEW dir AS " + endless + "x fid, x path FROM n", code: "damaged"},
		"review newer":        {review: "PRAGMA user_version=7", code: "*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, to := remade(t, cmpOr(c.weft, "SELECT 1"), cmpOr(c.review, "SELECT 1")), t.TempDir()
			_, err := Restore(ctx, Target{DataDir: to, Settings: filepath.Join(to, "settings.json"), Now: now}, path)
			if err != nil {
				if c.code != "*" && fault.CodeOf(err) != c.code {
					t.Errorf("%v (%s), want %q", err, fault.CodeOf(err), c.code)
				}
				if left, _ := os.ReadDir(to); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
				return
			}
			if c.code != "" && c.code != "*" {
				t.Fatal("it was restored")
			}
			for _, name := range []string{databaseName, reviewsName} {
				if got, want := objects(t, filepath.Join(to, name)), objects(t, filepath.Join(plain, name)); !slices.Equal(got, want) {
					t.Errorf("%s has %q, want %q", name, got, want)
				}
			}
			s := openStore(t, to)
			if list, _, err := s.Meta.Get(ctx, "secrets:forget"); list != "" || err != nil {
				t.Errorf("secrets to delete: %s, %v", list, err)
			}
			if got := said(t, s, "one"); !slices.Equal(got, []string{"kept as it was"}) {
				t.Errorf("the conversation is %q", got)
			}
		})
	}
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// A backup of an older version is restored with the tables that it had, which the next start changes.
func TestRestoreOfOlderTables(t *testing.T) {
	t.Parallel()
	for v := 1; v <= len(schema.Migrations()); v++ {
		path := filepath.Join(t.TempDir(), databaseName)
		if err := private.Create(path); err != nil {
			t.Fatal(err)
		}
		c, err := db.Dial(path, db.ReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		err = schema.Apply(c, schema.Migrations()[:v], 0)
		if err == nil {
			err = c.Script("INSERT INTO space (id, title, folder, agent_id, agent_name, created_at, last_activity, epoch) VALUES ('one','T','','guide','Guide',1,1,1); PRAGMA wal_checkpoint(TRUNCATE)")
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		to := t.TempDir()
		file := archive(t, Manifest{Format: format, Version: 1, Files: []Entry{entry(databaseName, text)}}, map[string]string{databaseName: string(text)})
		if out, err := Restore(ctx, Target{DataDir: to, Settings: filepath.Join(to, "s"), Now: now}, file); err != nil || out.Spaces != 1 {
			t.Errorf("version %d: %+v, %v", v, out, err)
			continue
		}
		if list, err := openStore(t, to).Spaces.Get(ctx, "one"); err != nil || list.Title != "T" {
			t.Errorf("version %d: %+v, %v", v, list, err)
		}
	}
}

// bomb adds a file of n zeros, which are packed as one MB is, again and again.
func bomb(t *testing.T, z *zip.Writer, name string, n int) {
	t.Helper()
	var mega bytes.Buffer
	packed, err := flate.NewWriter(&mega, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := packed.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := packed.Flush(); err != nil {
		t.Fatal(err)
	}
	all := bytes.Repeat(mega.Bytes(), n>>20)
	all = append(all, 1, 0, 0, 0xff, 0xff) // an empty block that is the last one
	w, err := z.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: uint64(len(all)), UncompressedSize64: uint64(n)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(all); err != nil {
		t.Fatal(err)
	}
}

// An archive may be made so that reading it takes all of the disk or the memory, or leads elsewhere.
func TestRestoreBoundsWhatAnArchiveUnpacksTo(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	s := openStore(t, from)
	newSpace(t, s, "one")
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(from, databaseName))
	if err != nil {
		t.Fatal(err)
	}
	zeros := bytes.Repeat([]byte{0}, 1<<20)
	whole := entry(databaseName, good)
	large := func(n int) string { return `{"x":"` + strings.Repeat("x", n) + `"}` }
	write := func(m Manifest, add func(z *zip.Writer)) string {
		m.Format, m.Version = format, 1
		return archiveOf(t, m, add)
	}
	cases := map[string]string{
		"settings of 400 MB": write(Manifest{Files: []Entry{whole, {Name: settingsName, Size: 400 << 20}}}, func(z *zip.Writer) {
			put(t, z, databaseName, good)
			w, _ := z.Create(settingsName)
			for range 40 { // it needn't be as long as it says
				_, _ = w.Write(zeros)
			}
		}),
		"bomb":           write(Manifest{Files: []Entry{{Name: databaseName, Size: 2 << 30}}}, func(z *zip.Writer) { bomb(t, z, databaseName, 2<<30) }),
		"longer than it": write(Manifest{Files: []Entry{{Name: databaseName, Size: 4 << 30}}}, func(z *zip.Writer) { put(t, z, databaseName, zeros) }),
		"negative size":  write(Manifest{Files: []Entry{{Name: databaseName, Size: -5, SHA256: whole.SHA256}}}, func(z *zip.Writer) { put(t, z, databaseName, good) }),
		"twice listed":   write(Manifest{Files: []Entry{whole, whole}}, func(z *zip.Writer) { put(t, z, databaseName, good) }),
		"large settings": write(Manifest{Files: []Entry{whole, entry(settingsName, []byte(large(17<<20)))}}, func(z *zip.Writer) {
			put(t, z, databaseName, good)
			put(t, z, settingsName, []byte(large(17<<20)))
		}),
		"huge manifest": write(Manifest{Weft: strings.Repeat("x", 2<<20), Files: []Entry{whole}}, func(z *zip.Writer) { put(t, z, databaseName, good) }),
		"folder":        write(Manifest{Files: []Entry{whole}}, func(z *zip.Writer) { put(t, z, databaseName+"/", nil) }),
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err == nil {
		cases["pipe"] = pipe
	}
	for name, path := range cases {
		to := t.TempDir()
		most, stop, stopped := int64(0), make(chan struct{}), make(chan struct{})
		go func() { // how much is on the disk at most
			defer close(stopped)
			for {
				sum := int64(0)
				_ = filepath.WalkDir(to, func(_ string, d fs.DirEntry, err error) error {
					if err == nil && d.Type().IsRegular() {
						if info, err := d.Info(); err == nil {
							sum += info.Size()
						}
					}
					return nil
				})
				most = max(most, sum)
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
				}
			}
		}()
		done := make(chan error, 1)
		go func() {
			_, err := Restore(ctx, Target{DataDir: to, Settings: filepath.Join(to, "settings.json"), Now: now}, path)
			done <- err
		}()
		select {
		case err = <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: it doesn't end", name)
		}
		close(stop)
		<-stopped
		if got := fault.CodeOf(err); got != "invalid" && got != "damaged" {
			t.Errorf("%s: %v (%s)", name, err, got)
		}
		if most > 64<<20 {
			t.Errorf("%s: it unpacked %d MB", name, most>>20)
		}
		if left, _ := os.ReadDir(to); len(left) > 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
	// An entry that is a link is a file with the text of the link, and so is no database.
	link := write(Manifest{Files: []Entry{entry(databaseName, []byte("/etc/passwd"))}}, func(z *zip.Writer) {
		h := &zip.FileHeader{Name: databaseName}
		h.SetMode(fs.ModeSymlink | 0o777)
		w, _ := z.CreateHeader(h)
		_, _ = io.WriteString(w, "/etc/passwd")
	})
	to := t.TempDir()
	if _, err := Restore(ctx, Target{DataDir: to, Now: now}, link); fault.CodeOf(err) != "damaged" && fault.CodeOf(err) != "invalid" {
		t.Errorf("link: %v", err)
	}
}
