package backup

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/store"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
)

var ctx = context.Background()

func openStore(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, rec, err := store.Open(ctx, dir, store.Options{})
	if err != nil || rec != nil {
		t.Fatalf("open: %v, recovered %v", err, rec)
	}
	t.Cleanup(func() { s.Close(ctx) })
	return s
}

func newSpace(t *testing.T, s *store.Store, id string) {
	t.Helper()
	if _, err := s.Spaces.Create(ctx, spaces.Space{ID: id, Title: "Title of " + id, AgentID: "guide", AgentName: "Guide"}); err != nil {
		t.Fatal(err)
	}
}

func say(t *testing.T, s *store.Store, space, message, text string) {
	t.Helper()
	_, err := s.Events.Append(ctx, events.Append{SpaceID: space, At: 1000, Bodies: []transcript.Body{
		&transcript.MessageStart{MessageID: message, Role: transcript.RoleUser},
		&transcript.TextDelta{MessageID: message, Content: text}, &transcript.MessageEnd{MessageID: message},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// said returns the texts of the messages of a space.
func said(t *testing.T, s *store.Store, space string) (texts []string) {
	t.Helper()
	for m, err := range s.Pages.Messages(ctx, space) {
		if err != nil {
			t.Fatal(err)
		}
		for _, seg := range m.Segments {
			texts = append(texts, seg.Text)
		}
	}
	return texts
}

func now() time.Time { return time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC) }

// code fails the test unless err has a code, and a sentence.
func code(t *testing.T, err error, want string) {
	t.Helper()
	if fault.CodeOf(err) != want || !strings.HasSuffix(err.Error(), ".") {
		t.Errorf("the error is %q (%s), want the code %s and a sentence", err, fault.CodeOf(err), want)
	}
}

func TestBackupHoldsWhatWasStoredWhileWeftRuns(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "new")
	s := openStore(t, from)
	newSpace(t, s, "one")
	say(t, s, "one", "m1", "before the backup, größer als 苹果")
	settings := filepath.Join(from, "settings.json")
	if err := os.WriteFile(settings, []byte(`{"theme":"dark"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	// Something is written all the time.
	stop, stopped := make(chan struct{}), make(chan int)
	newSpace(t, s, "busy")
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				stopped <- n
				return
			default:
				say(t, s, "busy", fmt.Sprintf("b%d", n), fmt.Sprint(n))
			}
		}
	}()
	path := filepath.Join(t.TempDir(), "b.zip")
	m, err := Write(ctx, Source{DataDir: from, Settings: settings, Weft: "1.2", Now: now}, path)
	close(stop)
	written := <-stopped
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "one", "m2", "after the backup")
	if m.Spaces != 2 || m.Messages < 1 || !m.At.Equal(now()) || m.Weft != "1.2" {
		t.Errorf("the manifest is %+v", m)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read it: %v, %v", info.Mode(), err)
	}

	r, err := Restore(ctx, Target{DataDir: to, Settings: filepath.Join(to, "settings.json"), Now: now}, path)
	if err != nil {
		t.Fatal(err)
	}
	if r.Aside != "" || !r.Settings || r.Messages != m.Messages {
		t.Errorf("the report is %+v", r)
	}
	if got, err := os.ReadFile(filepath.Join(to, "settings.json")); err != nil || string(got) != `{"theme":"dark"}` {
		t.Errorf("the settings are %s, %v", got, err)
	}
	restored := openStore(t, to)
	if got := said(t, restored, "one"); !slices.Equal(got, []string{"before the backup, größer als 苹果"}) {
		t.Errorf("the conversation is %q", got)
	}
	// What was written meanwhile is there up to one moment, without gaps.
	busy := said(t, restored, "busy")
	if len(busy) > written {
		t.Errorf("%d of %d messages", len(busy), written)
	}
	for n, text := range busy {
		if text != fmt.Sprint(n) {
			t.Fatalf("message %d says %q", n, text)
		}
	}
	say(t, restored, "one", "m3", "goes on")
}

func TestRestoreKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	s := openStore(t, from)
	newSpace(t, s, "one")
	path := filepath.Join(t.TempDir(), "b.zip")
	if _, err := Write(ctx, Source{DataDir: from, Now: now}, path); err != nil {
		t.Fatal(err)
	}
	old := openStore(t, to)
	newSpace(t, old, "old")
	say(t, old, "old", "m", "was there")
	settings := filepath.Join(to, "settings.json")
	for name, text := range map[string]string{settings: "mine", filepath.Join(to, "review.db"): "old reviews"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	_, err := Restore(ctx, Target{DataDir: to, Settings: settings, Now: now}, path)
	code(t, err, "in_use")
	if got := said(t, old, "old"); len(got) != 1 {
		t.Errorf("the conversation is %q", got)
	}
	if err := old.Close(ctx); err != nil {
		t.Fatal(err)
	}
	r, err := Restore(ctx, Target{DataDir: to, Settings: settings, Now: now}, path)
	if err != nil {
		t.Fatal(err)
	}
	if r.Settings {
		t.Error("the settings were replaced")
	}
	if got, err := os.ReadFile(r.Aside + ".review.db"); err != nil || string(got) != "old reviews" {
		t.Errorf("the old reviews are %q, %v", got, err)
	}
	back := t.TempDir()
	if err := os.Rename(r.Aside, filepath.Join(back, "weft.db")); err != nil {
		t.Fatal(err)
	}
	if got := said(t, openStore(t, back), "old"); !slices.Equal(got, []string{"was there"}) {
		t.Errorf("the old conversation is %q", got)
	}
	openStore(t, to)
}

// A backup that was changed in any way restores what was backed up, or nothing.
func TestDamagedBackupChangesNothing(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	s := openStore(t, from)
	newSpace(t, s, "one")
	say(t, s, "one", "m", strings.Repeat("words that are kept. ", 2000))
	path := filepath.Join(t.TempDir(), "b.zip")
	if _, err := Write(ctx, Source{DataDir: from, Now: now}, path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(18, 1))
	for n := range 60 {
		data := bytes.Clone(whole)
		if n%3 == 0 {
			data = data[:random.IntN(len(data))]
		} else {
			data[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
		}
		damaged := filepath.Join(t.TempDir(), "damaged.zip")
		if err := os.WriteFile(damaged, data, 0o600); err != nil {
			t.Fatal(err)
		}
		to := t.TempDir()
		_, err := Restore(ctx, Target{DataDir: to, Settings: filepath.Join(to, "settings.json"), Now: now}, damaged)
		if err == nil {
			if got := said(t, openStore(t, to), "one"); len(got) != 1 || len(got[0]) != 42_000 {
				t.Errorf("case %d restored something else", n)
			}
			continue
		}
		if got := fault.CodeOf(err); got != "invalid" && got != "damaged" && got != "newer_version" {
			t.Errorf("case %d: %v (%s)", n, err, got)
		}
		if left, _ := os.ReadDir(to); len(left) > 0 {
			t.Errorf("case %d: left behind: %v", n, left)
		}
	}
}

// archive writes a backup with a manifest and files of the test's own.
func archive(t *testing.T, manifest any, files map[string]string) string {
	t.Helper()
	return archiveOf(t, manifest, func(z *zip.Writer) {
		for name, text := range files {
			put(t, z, name, []byte(text))
		}
	})
}

// archiveOf is archive with files that add writes.
func archiveOf(t *testing.T, manifest any, add func(*zip.Writer)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	put(t, z, manifestName, text)
	add(z)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// put writes a file into an archive.
func put(t *testing.T, z *zip.Writer, name string, text []byte) {
	t.Helper()
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write(text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	t.Parallel()
	empty := Entry{Name: databaseName, SHA256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
	text := filepath.Join(t.TempDir(), "text.zip")
	if err := os.WriteFile(text, []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, code string }{
		"missing":       {filepath.Join(t.TempDir(), "gone.zip"), "not_found"},
		"text":          {text, "invalid"},
		"other archive": {archive(t, map[string]string{"format": "other"}, map[string]string{}), "invalid"},
		"no database":   {archive(t, Manifest{Format: format, Version: 1}, map[string]string{}), "invalid"},
		"another file": {archive(t, Manifest{Format: format, Version: 1, Files: []Entry{empty, {Name: "../../weft"}}},
			map[string]string{"../../weft": "x", databaseName: ""}), "invalid"},
		"newer":           {archive(t, Manifest{Format: format, Version: 2, Weft: "9.0", Files: []Entry{empty}}, map[string]string{databaseName: ""}), "newer_version"},
		"longer file":     {archive(t, Manifest{Format: format, Version: 1, Files: []Entry{empty}}, map[string]string{databaseName: strings.Repeat("x", 1<<20)}), "damaged"},
		"file is missing": {archive(t, Manifest{Format: format, Version: 1, Files: []Entry{empty}}, map[string]string{}), "damaged"},
		"empty database":  {archive(t, Manifest{Format: format, Version: 1, Files: []Entry{empty}}, map[string]string{databaseName: ""}), "damaged"},
	} {
		to := t.TempDir()
		_, err := Restore(ctx, Target{DataDir: to, Settings: filepath.Join(to, "settings.json"), Now: now}, c.path)
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v (%s), want %s", name, err, fault.CodeOf(err), c.code)
		}
		if left, _ := os.ReadDir(to); len(left) > 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
}

func TestBackupIsWrittenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	from, out := t.TempDir(), t.TempDir()
	path := filepath.Join(out, "b.zip")
	_, err := Write(ctx, Source{DataDir: from, Now: now}, path)
	code(t, err, "not_found")
	newSpace(t, openStore(t, from), "one")
	_, err = Write(ctx, Source{DataDir: from, Now: now}, filepath.Join(out, "gone", "b.zip"))
	code(t, err, "io")
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = Write(canceled, Source{DataDir: from, Now: now}, path)
	code(t, err, "cancelled")
	if left, _ := os.ReadDir(out); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.WriteFile(path, []byte("the user's"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Write(ctx, Source{DataDir: from, Now: now}, path)
	code(t, err, "conflict")
	if got, _ := os.ReadFile(path); string(got) != "the user's" {
		t.Error("a file of the user was replaced")
	}
	if _, err := Restore(canceled, Target{DataDir: t.TempDir(), Now: now}, path); errors.Is(err, context.Canceled) {
		t.Error(err) // it is no backup, which is known first
	}
}
