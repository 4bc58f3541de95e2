package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
)

// filled returns the folder of a closed database with n messages in each of two spaces.
func filled(tb testing.TB, n int) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	s := open(tb, dir)
	for _, id := range []string{"a", "b"} {
		newSpace(tb, s, id)
		for i := range n {
			m := fmt.Sprintf("m%d", i)
			add(tb, s, id, start(m), words(m, 0, strings.Repeat("word ", 600)),
				&transcript.ToolCallStart{At: at(m, 1, 0), ToolCallID: "t", Title: "Read", Kind: "read", Status: transcript.StatusRunning},
				&transcript.ToolCallEnd{At: at(m, 1, 0), ToolCallID: "t", Status: transcript.StatusCompleted, Summary: "ok"},
				words(m, 2, "done"), &transcript.MessageEnd{MessageID: m, StopReason: "end_turn"})
		}
	}
	closeStore(tb, s)
	return dir
}

func damage(tb testing.TB, dir string, f func(file *os.File, size int64) error) {
	tb.Helper()
	file, err := os.OpenFile(filepath.Join(dir, "weft.db"), os.O_RDWR, 0)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	info, _ := file.Stat()
	if err := f(file, info.Size()); err != nil {
		tb.Fatal(err)
	}
}

func writeAt(f *os.File, b []byte, at int64) error {
	_, err := f.WriteAt(b, at)
	return err
}

func TestDamagedFilesAreKeptAndRecovered(t *testing.T) {
	garbage := []byte(strings.Repeat("\xde\xad\xbe\xef", db.PageSize/4))
	for _, c := range []struct {
		name   string
		damage func(f *os.File, size int64) error
		min    int // messages that must survive of 200
	}{
		{"garbage header", func(f *os.File, _ int64) error { return writeAt(f, garbage[:100], 0) }, 200},
		{"first page gone", func(f *os.File, _ int64) error { return writeAt(f, garbage, 0) }, 200},
		{"truncated to 60 %", func(f *os.File, size int64) error { return f.Truncate(size * 6 / 10 / db.PageSize * db.PageSize) }, 20},
		{"pages in the middle overwritten", func(f *os.File, size int64) error {
			for p := int64(30); p < size/db.PageSize; p += 37 {
				if err := writeAt(f, garbage, p*db.PageSize); err != nil {
					return err
				}
			}
			return nil
		}, 100},
		{"cut within the first page", func(f *os.File, _ int64) error { return f.Truncate(1000) }, 0},
		{"empty", func(f *os.File, _ int64) error { return f.Truncate(0) }, 0},
		{"not a database", func(f *os.File, _ int64) error {
			return errors.Join(f.Truncate(0), writeAt(f, []byte("<html>404</html>"), 0))
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filled(t, 100)
			damage(t, dir, c.damage)
			before, err := os.ReadFile(filepath.Join(dir, "weft.db"))
			if err != nil {
				t.Fatal(err)
			}
			s, rec := openRecovered(t, dir)
			if rec == nil {
				t.Fatal("no recovery was reported")
			}
			t.Logf("%s | %s", rec.Sentence, rec.Cause)
			after, err := os.ReadFile(rec.Aside)
			if err != nil || len(after) < len(before) {
				t.Errorf("kept file: %d bytes of %d, %v", len(after), len(before), err)
			}
			if rec.Messages < c.min {
				t.Errorf("%d messages recovered, want %d", rec.Messages, c.min)
			}
			useRecovered(t, s, rec)
			closeStore(t, s)
			open(t, dir) // now it is intact
		})
	}
}

// useRecovered reads everything and writes to every space.
func useRecovered(t *testing.T, s *Store, rec *Recovery) {
	t.Helper()
	ctx := context.Background()
	spaces, err := s.Spaces.List(ctx, spaces.Filter{})
	if err != nil || len(spaces) != rec.Spaces {
		t.Fatalf("%d spaces, %v", len(spaces), err)
	}
	n := 0
	for _, sp := range spaces {
		for m, err := range s.Pages.Messages(ctx, sp.ID) {
			if err != nil {
				t.Fatal(err)
			}
			for _, seg := range m.Segments {
				if seg.Type == transcript.SegmentText && seg.Text == "" {
					t.Errorf("message %s has an empty text", m.ID)
				}
			}
			n++
		}
		if _, err := s.Pages.Snapshot(ctx, sp.ID, 100); err != nil {
			t.Error(err)
		}
		add(t, s, sp.ID, start("new"), words("new", 0, "goes on"), &transcript.MessageEnd{MessageID: "new"})
	}
	if n != rec.Messages {
		t.Errorf("%d messages are readable, %d were recovered", n, rec.Messages)
	}
	var verdict string
	if inFile(t, s, "PRAGMA integrity_check", &verdict); verdict != "ok" {
		t.Error(verdict)
	}
}

func TestRecoveryRenewsEpochsAndKeepsTheJournal(t *testing.T) {
	dir := filled(t, 20)
	s := open(t, dir)
	epoch, _, _ := s.Events.Head("a")
	add(t, s, "a", start("x"), words("x", 0, "not folded yet"))
	crashed := copyDB(t, dir)
	closeStore(t, s)
	damage(t, crashed, func(f *os.File, size int64) error {
		for p := int64(40); p < size/db.PageSize; p += 5 { // no page is in the log
			if err := writeAt(f, []byte("overwritten by something else"), p*db.PageSize); err != nil {
				return err
			}
		}
		return nil
	})
	s, rec := openRecovered(t, crashed)
	if rec == nil || rec.Events != 2 {
		t.Fatalf("recovery: %+v", rec)
	}
	if now, _, err := s.Events.Head("a"); err != nil || now == epoch {
		t.Errorf("epoch %d is still %d, %v", now, epoch, err)
	}
	m, err := s.Pages.Message(context.Background(), "a", "x")
	if err != nil || m.Content() != "not folded yet" {
		t.Errorf("journal: %+v %v", m, err)
	}
}

func TestInterruptedRecoveryIsFinished(t *testing.T) {
	dir, other := filled(t, 3), filled(t, 5)
	path := filepath.Join(dir, "weft.db")
	if err := copyFile(filepath.Join(other, "weft.db"), path+".recovered"); err != nil {
		t.Fatal(err)
	}
	s, rec := openRecovered(t, dir)
	if rec == nil || !exists(rec.Aside) {
		t.Fatalf("recovery: %+v", rec)
	}
	if _, err := s.Pages.Message(context.Background(), "a", "m4"); err != nil {
		t.Error(err)
	}
}

func TestSecondInstanceIsRefused(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	_, _, err := Open(context.Background(), dir, Options{})
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", os.Getpid())) {
		t.Errorf("second open: %v", err)
	}
}

func TestNewerFileIsRefused(t *testing.T) {
	dir := filled(t, 1)
	c, err := db.Dial(filepath.Join(dir, "weft.db"), "rw")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Script("PRAGMA user_version = 99"), c.Close()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(context.Background(), dir, Options{}); CodeOf(err) != CodeNewerVersion {
		t.Errorf("newer file: %v", err)
	}
}

func TestAppendFailsWhileAnotherProgramWrites(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id := newSpace(t, s, "a")
	if err := s.db.Change(context.Background(), "be impatient", func(c *db.Conn) error { return c.Script("PRAGMA busy_timeout = 1") }); err != nil {
		t.Fatal(err)
	}
	other, err := db.Dial(filepath.Join(dir, "weft.db"), "rw")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Script("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Events.Append(context.Background(), events.Append{SpaceID: id, At: 1, Bodies: []transcript.Body{start("m")}}); CodeOf(err) != db.CodeLocked {
		t.Errorf("append: %v", err)
	}
	if err := other.Script("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if ev := add(t, s, id, start("m")); ev[0].Seq != 1 {
		t.Errorf("seq %d, want 1: the failed append used a number", ev[0].Seq)
	}
}

func TestFullDiskLosesNothing(t *testing.T) {
	dir := t.TempDir()
	shown := map[string]int64{}
	s := open(t, dir, Options{OnCommit: func(id string, ev []transcript.Event) { shown[id] = ev[len(ev)-1].Seq }})
	id := newSpace(t, s, "a")
	add(t, s, id, start("m"))
	limit := func(n int) { // runs on the writer's goroutine
		if err := s.db.Change(context.Background(), "limit", func(c *db.Conn) error {
			_, err := c.One(fmt.Sprintf("PRAGMA max_page_count = %d", n), nil, new(int))
			return err
		}); err != nil && CodeOf(err) != CodeDiskFull {
			t.Fatal(err)
		}
	}
	var pages int
	inFile(t, s, "PRAGMA page_count", &pages)
	limit(pages + 40)
	want, failed := "", 0
	for i := range 60 {
		piece := strings.Repeat(fmt.Sprintf("%04d ", i), 1000)
		ev, err := s.Events.Append(context.Background(), events.Append{SpaceID: id, At: 5, Bodies: []transcript.Body{words("m", 0, piece)}})
		switch {
		case err == nil:
			want += piece
			if ev[0].Seq != shown[id] {
				t.Fatalf("seq %d was not shown", ev[0].Seq)
			}
		case CodeOf(err) == CodeDiskFull:
			if failed++; failed == 5 {
				limit(1 << 30)
			}
		default:
			t.Fatal(err)
		}
	}
	if failed != 5 {
		t.Errorf("%d appends failed", failed)
	}
	ev := add(t, s, id, &transcript.MessageEnd{MessageID: "m"})
	if ev[0].Seq != int64(60-5+2) {
		t.Errorf("seq %d at the end", ev[0].Seq)
	}
	m, err := s.Pages.Message(context.Background(), id, "m")
	if err != nil || m.Content() != want {
		t.Errorf("%d bytes, want %d, %v", len(m.Content()), len(want), err)
	}
}

// TestOpenOfReadOnlyFolderFails runs itself as another user, because root may write anywhere.
func TestOpenOfReadOnlyFolderFails(t *testing.T) {
	if dir := os.Getenv("WEFT_TEST_READ_ONLY"); dir != "" {
		_, _, err := Open(context.Background(), dir, Options{})
		fmt.Println("code:", CodeOf(err), err)
		return
	}
	for name, deny := range map[string]func(dir string) error{
		"folder": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "weft.lock")), os.Chmod(dir, 0o555))
		},
		"file": func(dir string) error { return os.Chmod(filepath.Join(dir, "weft.db"), 0o444) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filled(t, 1)
			cmd := exec.Command(os.Args[0], "-test.run=^TestOpenOfReadOnlyFolderFails$")
			cmd.Env = append(os.Environ(), "WEFT_TEST_READ_ONLY="+dir)
			if os.Getuid() == 0 {
				asNobody(t, cmd, dir)
			}
			if err := deny(dir); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
			out, err := cmd.CombinedOutput()
			if errors.Is(err, syscall.EACCES) {
				t.Skip("the test binary cannot be run by another user here")
			}
			if !strings.Contains(string(out), "code: "+db.CodeReadOnly) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func TestDamageOfLargeFileIsFoundInBackground(t *testing.T) {
	dir := filled(t, 100)
	damage(t, dir, func(f *os.File, size int64) error {
		for p := size / db.PageSize / 2; p < size/db.PageSize; p += 5 {
			if err := writeAt(f, []byte("overwritten by something else"), p*db.PageSize); err != nil {
				return err
			}
		}
		return nil
	})
	// Make it look unchanged since Close, so that only the background check finds the damage.
	path := filepath.Join(dir, "weft.db")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".left", fmt.Appendf(nil, "size %d modified %d\n", info.Size(), info.ModTime().UnixNano()), 0o600); err != nil {
		t.Fatal(err)
	}
	found := make(chan *Error, 1)
	s := open(t, dir, Options{OnDamage: func(err *Error) { found <- err }})
	if err := <-found; err.Code != CodeDamaged {
		t.Errorf("found: %v", err)
	}
	closeStore(t, s)
	if _, rec := openRecovered(t, dir); rec == nil || rec.Messages < 100 {
		t.Errorf("recovery: %+v", rec)
	}
}
