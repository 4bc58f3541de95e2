package opencode_test

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/interchange/sessionfiles/opencode"
	"weft/backend/interchange/sessionfiles/sessiontest"
)

const tables = `
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, title text NOT NULL, revert text, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer, time_updated integer, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer, time_updated integer, data text NOT NULL);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL, time_created integer, time_updated integer, data text NOT NULL);
`

// rows are those of a database that OpenCode has written.
func rows(t testing.TB) (list [][]any) {
	t.Helper()
	f, err := os.Open("testdata/rows.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<22)
	for in.Scan() {
		d := json.NewDecoder(strings.NewReader(in.Text()))
		d.UseNumber()
		var row []any
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

// open makes a home with a database, whose rows are in its write-ahead log while it is open.
func open(t testing.TB) (home string, db *sql.DB) {
	t.Helper()
	home = t.TempDir()
	dir := filepath.Join(home, ".local", "share", "opencode")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	u := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(dir), "/") + "/opencode.db"}
	db, err := sql.Open("sqlite", u.String()+"?_pragma=journal_mode(WAL)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	exec(t, db, tables)
	return home, db
}

func exec(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

func text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func fill(t testing.TB, db *sql.DB) {
	t.Helper()
	for _, r := range rows(t) {
		switch r[0] {
		case "session":
			exec(t, db, "INSERT INTO session (id, parent_id, directory, title, time_created, time_updated) VALUES (?, ?, ?, ?, ?, ?)", r[1:]...)
		case "message":
			exec(t, db, "INSERT INTO message (id, session_id, time_created, data) VALUES (?, ?, ?, ?)", r[1], r[2], r[3], text(t, r[4]))
		case "part":
			exec(t, db, "INSERT INTO part (id, message_id, session_id, time_created, data) VALUES (?, ?, ?, ?, ?)", r[1], r[2], r[3], r[4], text(t, r[5]))
		}
	}
}

// closing closes a program, which must leave no copies behind.
func closing(t *testing.T) *opencode.Program {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
	p := &opencode.Program{}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return p
}

func TestConversationsInADatabaseAreDrawn(t *testing.T) {
	home, db := open(t)
	fill(t, db)
	// The rows are in the log: the database itself is nearly empty.
	sessiontest.Golden(t, closing(t), home)
}

func TestDatabaseIsNeverWritten(t *testing.T) {
	home, db := open(t)
	fill(t, db)
	dir := filepath.Join(home, ".local", "share", "opencode")
	state := func() (all string) {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all += f.Name() + string(b)
		}
		return all
	}
	before := state()
	p := closing(t)
	for _, src := range sessiontest.Find(t, p, home) {
		if _, _, err := sessiontest.Read(t, p, src); err != nil {
			t.Error(err)
		}
	}
	if state() != before {
		t.Error("the files have changed")
	}
	// Others can write it meanwhile.
	exec(t, db, "DELETE FROM part")
}

func TestConversationsInFilesAreDrawnAlike(t *testing.T) {
	home := t.TempDir()
	storage := filepath.Join(home, ".local", "share", "opencode", "storage")
	write := func(v any, parts ...string) {
		path := filepath.Join(append([]string{storage}, parts...)...) + ".json"
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		b, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range rows(t) {
		switch id, _ := r[1].(string); r[0] {
		case "session":
			write(map[string]any{"id": id, "parentID": r[2], "directory": r[3], "title": r[4], "time": map[string]any{"created": r[5], "updated": r[6]}}, "session", "project", id)
		case "message":
			write(r[4], "message", r[2].(string), id)
		case "part":
			write(r[5], "part", r[2].(string), id)
		}
	}
	golden, err := os.ReadFile("testdata/drawn.txt")
	if err != nil {
		t.Fatal(err)
	}
	p := &opencode.Program{}
	for _, src := range sessiontest.Find(t, p, home) {
		paths, _, err := sessiontest.Read(t, p, src)
		if err != nil || len(paths) != 1 || !strings.Contains(string(golden), paths[0].Draw()) {
			t.Errorf("%s: %v\n%s", src.Path, err, paths[0].Draw())
		}
	}
}

func TestMessagesOfVersion2AreDrawn(t *testing.T) {
	home, db := open(t)
	exec(t, db, "INSERT INTO session (id, directory, title, time_created, time_updated) VALUES ('s', '/home/me/x', 'New session - 2026', 1, 2)")
	for i, m := range [][2]string{
		{"user", `{"text":"Fix it","files":[{"uri":"file:///home/me/x/a.go","name":"a.go","mime":"text/plain"}]}`},
		{"assistant", `{"model":{"id":"big","providerID":"p"},"time":{"created":1,"completed":2},"content":[{"type":"reasoning","id":"r","text":"Hm."},{"type":"text","id":"t","text":"On it."},
			{"type":"tool","id":"c1","name":"edit","state":{"status":"completed","input":{"filePath":"a.go","oldString":"a","newString":"b"},"structured":{"diff":"--- a.go\n+++ a.go\n@@ -3,1 +3,1 @@\n-a\n+b\n"},"content":[{"type":"text","text":"Done"}]}},
			{"type":"tool","id":"c2","name":"bash","state":{"status":"error","input":{"command":"false"},"error":{"message":"It failed."}}}]}`},
		{"shell", `{"callID":"c3","command":"ls","output":"a.go\n"}`},
		{"compaction", `{"summary":"They fixed it."}`},
		{"synthetic", `{"text":"not shown"}`},
		{"assistant", `{"error":{"type":"unknown","message":"The model is gone."},"content":[]}`},
	} {
		exec(t, db, "INSERT INTO session_message (id, session_id, type, seq, time_created, time_updated, data) VALUES (?, 's', ?, ?, ?, 1, ?)", "m"+string(rune('a'+i)), m[0], i, 1000+i, m[1])
	}
	p := closing(t)
	src := sessiontest.Find(t, p, home)[0]
	paths, _, err := sessiontest.Read(t, p, src)
	if err != nil || len(paths) != 1 {
		t.Fatal(err)
	}
	const want = `# Fix it
user:
  "Fix it"
  <resource_link a.go>
agent:
  (Hm.)
  "On it."
  Edit a.go [edit] edit: completed </home/me/x/a.go:3 +1 -1 new=false>
  false [execute] bash: failed (It failed.) "It failed."
  ls [execute] bash: completed "a.go\n"
  app"The conversation was compacted here."
  (They fixed it.)
  app"The model is gone."
`
	if got := paths[0].Draw(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestDatabasesThatCannotBeReadAreRefusedWithASentence(t *testing.T) {
	for name, content := range map[string]string{"text": strings.Repeat("no database ", 1000), "empty": "", "torn": "SQLite format 3\x00" + strings.Repeat("\x10", 5000)} {
		home := t.TempDir()
		dir := filepath.Join(home, ".local", "share", "opencode")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "opencode.db"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		p := closing(t)
		problems := 0
		for src, err := range p.Find(t.Context(), sessiontest.Env(home)) {
			if err == nil || !strings.HasSuffix(err.Error(), ".") {
				t.Errorf("%s: %v, %v", name, src, err)
			}
			problems++
		}
		if problems != 1 {
			t.Errorf("%s: %d problems", name, problems)
		}
	}
}

// FuzzRead has any data in the place of a message and its parts.
func FuzzRead(f *testing.F) {
	for _, r := range rows(f) {
		if r[0] == "part" {
			f.Add(`{"role":"assistant","modelID":"m"}`, text(f, r[5]), "assistant")
		}
	}
	f.Add(`{"content":[{"type":"tool","id":"c","name":"edit","state":{"status":"completed","input":{},"structured":{"diff":"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b"}}}]}`, "{", "assistant")
	f.Add("[]", `{"type":"file","url":"data:image/png;base64,AAAA"}`, "shell")
	f.Fuzz(func(t *testing.T, message, part, kind string) {
		home, db := open(t)
		exec(t, db, "INSERT INTO session (id, directory, title, time_created, time_updated) VALUES ('s', '/home/me/x', 't', 1, 2), ('n', '/home/me/x', 't', 1, 2)")
		exec(t, db, "INSERT INTO message (id, session_id, time_created, data) VALUES ('m', 's', 5, ?)", message)
		exec(t, db, "INSERT INTO part (id, message_id, session_id, time_created, data) VALUES ('p', 'm', 's', 5, ?)", part)
		exec(t, db, "INSERT INTO session_message (id, session_id, type, seq, time_created, data) VALUES ('x', 'n', ?, 1, 5, ?)", kind, message)
		p := &opencode.Program{}
		defer p.Close()
		for _, src := range sessiontest.Find(t, p, home) {
			if _, _, err := sessiontest.Read(t, p, src); err != nil {
				t.Fatal(err)
			}
		}
	})
}
