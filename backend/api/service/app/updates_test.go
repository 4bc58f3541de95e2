package app

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"aead.dev/minisign"
	"github.com/rs/zerolog"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/desktop/update"
	"weft/backend/settings"
)

// fixture is a Weft 1.0.0 with a server that has 1.1.0.
type fixture struct {
	*Updates

	asked    atomic.Int64 // requests for the list
	busy     atomic.Bool
	restarts atomic.Int64
	told     atomic.Int64
}

func newFixture(t *testing.T, version string) *fixture {
	t.Helper()
	f := &fixture{}
	pub, key, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, signature, err := update.Sign(update.Manifest{
		Version: "1.1.0", Date: time.Unix(1_700_000_000, 0), Notes: "* New",
		Files: []update.File{{OS: runtime.GOOS, Arch: runtime.GOARCH, Kind: update.KindArchive, Name: "weft.tar.gz", URL: "https://example.com/weft.tar.gz", Size: 5, SHA256: strings.Repeat("a", 64)}},
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".minisig") {
			_, _ = w.Write(signature)
			return
		}
		f.asked.Add(1)
		_, _ = w.Write(raw)
	}))
	t.Cleanup(server.Close)
	source, err := update.NewSource(server.URL+"/weft.json", pub.String())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, err := settings.Open(filepath.Join(dir, "settings.json"), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	f.Updates = NewUpdates(UpdateOptions{
		Source: source, Place: &update.Place{How: update.HowOther}, Version: version, DataDir: dir, Settings: file, Busy: f.busy.Load,
		Restart: func() { f.restarts.Add(1) }, Changed: func() { f.told.Add(1) }, Now: time.Now, Log: zerolog.Nop(),
	})
	t.Cleanup(func() { f.Close(); file.Close() })
	return f
}

func (f *fixture) now(t *testing.T) UpdateState {
	t.Helper()
	s, err := f.Updates.Updates(t.Context(), command.None{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNothingIsAskedBeforeTheUserAllowsIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "1.0.0")
	if s := f.now(t); s.Checks != "ask" || s.Available != nil || s.CheckedAt != 0 {
		t.Errorf("%+v", s)
	}
	if wait := f.next(0); wait != 0 {
		t.Errorf("there is a timer of %v", wait)
	}
	s, err := f.SaveUpdateChecks(t.Context(), UpdateChecks{Daily: false})
	if err != nil || s.Checks != "off" || f.next(0) != 0 || f.asked.Load() != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = f.SaveUpdateChecks(t.Context(), UpdateChecks{Daily: true}); err != nil || s.Checks != "daily" || f.next(0) <= 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestCheckFindsANewerVersionAndWaitsADay(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "1.0.0")
	if _, err := f.SaveUpdateChecks(t.Context(), UpdateChecks{Daily: true}); err != nil {
		t.Fatal(err)
	}
	s, err := f.CheckForUpdates(t.Context(), command.None{})
	if err != nil || s.Available == nil || s.Available.Version != "1.1.0" || s.Available.Notes != "* New" || !s.Notice || s.Phase != UpdateIdle {
		t.Fatalf("%+v, %v", s, err)
	}
	if wait := f.next(0); wait < checkEvery-time.Hour || wait > checkEvery {
		t.Errorf("the next check is in %v", wait)
	}
	// A clock that was set back, and one that was set on.
	f.opt.Now = func() time.Time { return time.Now().Add(-48 * time.Hour) }
	if wait := f.next(0); wait > time.Second {
		t.Errorf("the next check is in %v", wait)
	}
	f.opt.Now = time.Now
	if s, err = f.PostponeUpdate(t.Context(), command.None{}); err != nil || s.Notice || s.Available == nil {
		t.Errorf("%+v, %v", s, err)
	}
	f.checker.Now = func() time.Time { return time.Now().Add(askAgainAfter + time.Hour) }
	if s := f.now(t); !s.Notice {
		t.Error("it is never told again")
	}
	if _, err := f.InstallUpdate(t.Context(), command.None{}); fault.CodeOf(err) != "unsupported" {
		t.Errorf("a Weft that can't replace itself: %v", err)
	}
	if _, err := f.RestartToUpdate(t.Context(), command.None{}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("nothing is ready: %v", err)
	}
}

func TestRestartWaitsForTurns(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "1.0.0")
	f.busy.Store(true)
	if err := f.enter(UpdateWaiting, UpdateIdle); err != nil {
		t.Fatal(err)
	}
	if f.TurnsChanged(); f.restarts.Load() != 0 || f.now(t).Phase != UpdateWaiting {
		t.Fatal("it restarted during a turn")
	}
	if s, err := f.CancelUpdate(t.Context(), command.None{}); err != nil || s.Phase != UpdateIdle {
		t.Fatalf("%+v, %v", s, err)
	}
	f.busy.Store(false)
	if f.TurnsChanged(); f.restarts.Load() != 0 {
		t.Fatal("it restarted though that was canceled")
	}
	if err := f.enter(UpdateWaiting, UpdateIdle); err != nil {
		t.Fatal(err)
	}
	f.TurnsChanged()
	if f.TurnsChanged(); f.restarts.Load() != 1 || f.now(t).Phase != UpdateRestarting {
		t.Fatalf("%d restarts", f.restarts.Load())
	}
}

func TestBuildsWithoutAReleaseDoNotCheck(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"dev", "e2e96e7b", "v1.0.0-3-gabcdef0"} {
		f := newFixture(t, version)
		if s := f.now(t); s.Checks != "none" {
			t.Errorf("%s: %+v", version, s)
		}
		_, err1 := f.CheckForUpdates(t.Context(), command.None{})
		_, err2 := f.InstallUpdate(t.Context(), command.None{})
		_, err3 := f.SaveUpdateChecks(t.Context(), UpdateChecks{Daily: true})
		_, err4 := f.PostponeUpdate(t.Context(), command.None{})
		for _, err := range []error{err1, err2, err3, err4} {
			if fault.CodeOf(err) != "unsupported" {
				t.Errorf("%s: %v", version, err)
			}
		}
		f.Start()
	}
}

// TestScheduleHasOneTimer counts the checks of a week, and waits in a world where nothing else happens.
func TestScheduleHasOneTimer(t *testing.T) {
	f := newFixture(t, "1.0.0")
	synctest.Test(t, func(t *testing.T) {
		u := NewUpdates(f.opt)
		u.opt.Now, u.checker.Now = time.Now, time.Now
		u.wake = make(chan struct{}, 1)
		u.Start()
		time.Sleep(7 * checkEvery)
		synctest.Wait()
		if n := f.asked.Load(); n != 0 {
			t.Errorf("%d checks, though the user wasn't asked", n)
		}
		u.Close()
	})
}
