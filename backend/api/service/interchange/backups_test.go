package interchange

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/command"
	"weft/backend/interchange/backup"
	"weft/backend/settings"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

type fixture struct {
	*Backups

	t       *testing.T
	store   *store.Store
	now     time.Time
	commits int64
	told    int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	s, _, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := settings.Open(filepath.Join(dir, "settings.json"), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close(); s.Close(context.Background()) })
	f := &fixture{t: t, store: s, now: time.Now()}
	f.Backups = NewBackups(BackupOptions{
		DataDir: dir, Settings: file, Version: "1", Commits: func() int64 { return f.commits }, Now: func() time.Time { return f.now }, Changed: func() { f.told++ },
		Log: zerolog.Nop(),
	})
	return f
}

// write changes the conversations, at the time of the clock.
func (f *fixture) write() {
	f.t.Helper()
	f.commits++
	if _, err := f.store.Spaces.Create(f.t.Context(), spaces.Space{Title: "one", AgentID: "guide"}); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(f.opt.DataDir, "weft.db-wal"), f.now, f.now); err != nil {
		f.t.Fatal(err)
	}
}

// looks looks again when it is time to, for so long, and calls before each.
func (f *fixture) looks(length time.Duration, before func()) {
	f.t.Helper()
	wait := quietBefore
	for end := f.now.Add(length); f.now.Add(wait).Before(end); {
		f.now = f.now.Add(wait)
		if before != nil {
			before()
		}
		wait = f.look(f.t.Context())
		if wait <= 0 {
			f.t.Fatal("it looks all the time")
		}
	}
}

func (f *fixture) state() BackupState {
	f.t.Helper()
	s, err := f.Backups.Backups(f.t.Context(), command.None{})
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func TestBackupIsMadeEachDayAndSevenAreKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for day := 1; day <= 10; day++ {
		f.write()
		f.looks(backupEvery+time.Hour, nil)
		s := f.state()
		if len(s.Backups) != min(day, keptBackups) || s.Error != "" || s.Running {
			t.Fatalf("day %d: %+v", day, s)
		}
	}
	s := f.state()
	sum := int64(0)
	for n, one := range s.Backups {
		sum += one.Size
		if n > 0 && one.At >= s.Backups[n-1].At {
			t.Error("the newest is not first")
		}
	}
	if sum != s.Bytes || sum == 0 {
		t.Errorf("all have %d bytes, it says %d", sum, s.Bytes)
	}
	to := filepath.Join(t.TempDir(), "new")
	r, err := backup.Restore(t.Context(), backup.Target{DataDir: to, Settings: filepath.Join(to, "settings.json"), Now: time.Now}, s.Backups[0].Path)
	if err != nil || r.Spaces != 10 {
		t.Errorf("restored %+v, %v", r, err)
	}
}

func TestNothingIsBackedUpWhereNothingHasChanged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write()
	f.looks(backupEvery, nil)
	f.looks(5*backupEvery, nil)
	if n := len(f.state().Backups); n != 1 {
		t.Errorf("there are %d backups", n)
	}
}

func TestBackupWaitsForQuietButNotForever(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.looks(quietTimeout, f.write)
	if n := len(f.state().Backups); n != 0 {
		t.Fatalf("it didn't wait: %d backups", n)
	}
	f.looks(3*quietBefore, f.write)
	if n := len(f.state().Backups); n != 1 {
		t.Fatalf("it waited for ever: %d backups", n)
	}
}

func TestBackupsCanBeSwitchedOffAndMadeByHand(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, err := f.SaveDailyBackups(t.Context(), DailyBackups{Daily: false})
	if err != nil || s.Daily {
		t.Fatalf("%+v, %v", s, err)
	}
	f.write()
	f.looks(3*backupEvery, nil)
	if n := len(f.state().Backups); n != 0 {
		t.Fatalf("there are %d backups", n)
	}
	if s, err = f.BackUp(t.Context(), command.None{}); err != nil || len(s.Backups) != 1 || s.Running {
		t.Fatalf("%+v, %v", s, err)
	}
	if f.told < 2 {
		t.Error("nobody was told")
	}
	if s, err = f.SaveDailyBackups(t.Context(), DailyBackups{Daily: true}); err != nil || !s.Daily {
		t.Fatalf("%+v, %v", s, err)
	}
	if last, ok := LastBackup(f.opt.DataDir); !ok || last != s.Backups[0] {
		t.Errorf("the last one is %+v", last)
	}
}

func TestBackupThatFailsIsToldAndTriedAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write()
	if err := os.WriteFile(f.dir(), []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.looks(quietBefore*4, nil)
	if s := f.state(); s.Error == "" || len(s.Backups) != 0 {
		t.Fatalf("%+v", s)
	}
	if err := os.Remove(f.dir()); err != nil {
		t.Fatal(err)
	}
	f.looks(2*retryAfter, nil)
	if s := f.state(); s.Error != "" || len(s.Backups) != 1 {
		t.Fatalf("%+v", s)
	}
}

func TestScheduleEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Start(t.Context())
	if _, err := f.SaveDailyBackups(t.Context(), DailyBackups{}); err != nil {
		t.Fatal(err)
	}
	f.Close()
}
