//go:build linux

package update

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/backend/base/fault"
	"weft/backend/files/filelock"
)

func TestUpdateReplacesAllFilesAtAStart(t *testing.T) {
	forEachHow(t, func(t *testing.T, how string) {
		a, b := as(how, content("1.0.0")), as(how, content("1.1.0", "share/new/file"))
		w := newWorldOf(t, how, a, b)
		if err := w.stage(t); err != nil {
			t.Fatal(err)
		}
		w.whole(t, a, "state.json", "new")
		if got := w.place.Ready(); got != "1.1.0" {
			t.Fatalf("ready is %q", got)
		}
		// While another Weft of the place runs, nothing is replaced.
		other := &Running{place: w.place}
		var err error
		if other.lock, err = tryLock(w.place.at(w.place.layout.lib), filelock.Shared); err != nil {
			t.Fatal(err)
		}
		if r := w.place.Start("1.0.0"); r == nil || r.Again || r.Trial {
			t.Fatalf("%+v", r)
		} else {
			r.Close()
		}
		if done, err := w.place.Install("1.0.0"); done || err != nil {
			t.Fatalf("installed beside a Weft that runs: %v, %v", done, err)
		}
		other.Close()
		if r := w.place.Start("1.0.0"); !r.Again {
			t.Fatalf("%+v", r)
		}
		w.whole(t, b, "state.json", "old", spare)
		if how == HowArchive {
			entry, err := os.ReadFile(w.place.at(desktopEntry))
			if want := fmt.Sprintf("Exec=%q %%u", w.place.at("bin/weft")); err != nil || !strings.Contains(string(entry), want) {
				t.Errorf("the desktop entry doesn't have %s: %s, %v", want, entry, err)
			}
		}
		r := w.place.Start("1.1.0")
		if r.Again || !r.Trial || r.Err != nil {
			t.Fatalf("%+v", r)
		}
		done, err := r.Up()
		if err != nil || done == nil || done.Failed || done.From != "1.0.0" || done.To != "1.1.0" {
			t.Fatalf("%+v, %v", done, err)
		}
		r.Close()
		w.whole(t, b, "state.json")
		if o := w.place.Outcome(); o == nil || o.To != "1.1.0" || o.Failed {
			t.Errorf("%+v", o)
		}
		if err := w.place.Seen(); err != nil || w.place.Outcome() != nil {
			t.Errorf("%v, %+v", err, w.place.Outcome())
		}
		w.whole(t, b)
		run(t, w.place, 0, false)
		if entries, err := os.ReadDir(w.place.dir(aside)); !os.IsNotExist(err) {
			t.Errorf("what ran during the update is still there: %v, %v", entries, err)
		}
	})
}

func TestVersionThatDoesNotComeUpIsTakenBack(t *testing.T) {
	forEachHow(t, func(t *testing.T, how string) {
		a, b := as(how, content("1.0.0", "lib/old/file")), as(how, content("1.1.0", "share/new/file"))
		w := newWorldOf(t, how, a, b)
		if err := w.stage(t); err != nil {
			t.Fatal(err)
		}
		run(t, w.place, 0, false)
		w.whole(t, b, "state.json", "old", spare)
		// A second Weft that starts meanwhile is no sign that the first has failed.
		first := w.place.Start("1.1.0")
		if !first.Again { // the start of run is the first that didn't come up
			t.Fatalf("%+v", first)
		}
		w.whole(t, a, "state.json")
		o := w.place.Outcome()
		if tried := TakenBack(w.place); tried.IsZero() || tried.After(time.Now()) || tried.After(o.At) {
			t.Errorf("it was tried at %v", tried)
		}
		if o == nil || !o.Failed || o.From != "1.0.0" || o.To != "1.1.0" || !strings.Contains(o.Why, "went back to 1.0.0") {
			t.Fatalf("%+v", o)
		}
		if r := w.place.Start("1.0.0"); r.Again || r.Trial || r.Err != nil {
			t.Fatalf("%+v", r)
		} else {
			r.Close()
		}
		// It may be tried again, and then it comes up.
		if err := w.stage(t); err != nil {
			t.Fatal(err)
		}
		run(t, w.place, 0, true)
		w.whole(t, b, "state.json")
	})
}

func TestHowAnUpdateEndedIsSeenWhileTheNextIsDownloaded(t *testing.T) {
	a, b := content("1.0.0"), content("1.1.0")
	w := newWorld(t, a, b)
	if err := w.stage(t); err != nil {
		t.Fatal(err)
	}
	run(t, w.place, 0, false)
	w.place.Start("1.1.0")
	if o := w.place.Outcome(); o == nil || !o.Failed {
		t.Fatalf("%+v", o)
	}
	m, _, err := w.source.Fetch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = w.place.Stage(t.Context(), w.source, &m, "1.0.0", func(int64) {
		if err := w.place.Seen(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatalf("seeing it has ended the download: %v", err)
	}
	if o, ready := w.place.Outcome(), w.place.Ready(); o != nil || ready != "1.1.0" {
		t.Errorf("%q is ready, and what was seen is told again: %+v", ready, o)
	}
}

func TestFirstStartThatFailsForAnotherReasonIsNotCounted(t *testing.T) {
	forEachHow(t, func(t *testing.T, how string) {
		w := newWorldOf(t, how, as(how, content("1.0.0")), as(how, content("1.1.0")))
		if err := w.stage(t); err != nil {
			t.Fatal(err)
		}
		if done, err := w.place.Install("1.0.0"); !done || err != nil {
			t.Fatal(done, err)
		}
		for range 3 {
			r := w.place.Start("1.1.0")
			if !r.Trial || r.Again {
				t.Fatalf("%+v", r)
			}
			second := w.place.Start("1.1.0")
			if second.Again || !second.Trial {
				t.Fatalf("a second Weft beside the first start: %+v", second)
			}
			second.Close()
			r.Excuse()
			r.Close()
		}
		w.whole(t, as(how, content("1.1.0")), "state.json", "old", spare)
	})
}

// These tests hold locks that programs which other tests start would keep for a moment, so they aren't parallel.

// TestKilledAnywhere kills the start before each step of the replacement, and of the way back, and starts again.
func TestKilledAnywhere(t *testing.T) {
	forEachHow(t, func(t *testing.T, how string) {
		for seed := range uint64(1) {
			rnd := rand.New(rand.NewPCG(seed, 51))
			extra := func() (more []string) {
				for n := range rnd.IntN(3) {
					more = append(more, fmt.Sprintf("share/more/%d/%d", rnd.IntN(3), n))
				}
				return more
			}
			a, b := as(how, content("1.0.0", extra()...)), as(how, content("1.1.0", extra()...))
			w := newWorldOf(t, how, a, b)
			for step := 1; ; step++ {
				if err := w.stage(t); err != nil {
					t.Fatal(err)
				}
				killed := run(t, w.place, step, false)
				// A start that was killed may be followed by another one that is.
				if killed && rnd.IntN(2) == 0 {
					run(t, w.place, 1+rnd.IntN(4), false)
				}
				wasTrial := w.place.isTrial("1.1.0")
				run(t, w.place, 0, true)
				switch got := versionAt(w.place); {
				case got == "1.1.0":
					w.whole(t, b, "state.json")
				case got == "1.0.0" && wasTrial: // the start that was killed was the first of the new one
					w.whole(t, a, "state.json")
				default:
					t.Fatalf("step %d: the version is %q", step, got)
				}
				// And back: the new one is in place and doesn't come up.
				w.reinstall(t, a)
				if err := w.stage(t); err != nil {
					t.Fatal(err)
				}
				run(t, w.place, 0, false)
				killedBack := run(t, w.place, step, false)
				run(t, w.place, 0, false)
				w.whole(t, a, "state.json")
				if o := w.place.Outcome(); o == nil || !o.Failed || o.Why == "" {
					t.Fatalf("step %d: %+v", step, o)
				}
				if !killed && !killedBack {
					if step < 15 {
						t.Errorf("there were only %d steps", step)
					}
					break
				}
			}
		}
	})
}

// reinstall puts a version in place as install.sh does.
func (w *world) reinstall(t *testing.T, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll(w.place.Prefix); err != nil {
		t.Fatal(err)
	}
	fresh := installed(t, w.place.How, files)
	if err := os.Rename(fresh.Prefix, w.place.Prefix); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatCannotBeReplacedAreTakenBack(t *testing.T) {
	forEachHow(t, func(t *testing.T, how string) {
		a, b := as(how, content("1.0.0")), as(how, content("1.1.0", "share/taken"))
		w := newWorldOf(t, how, a, b)
		if err := w.stage(t); err != nil {
			t.Fatal(err)
		}
		// A folder where a file must go.
		inside := w.place.at("share/taken/in/it")
		if err := os.MkdirAll(filepath.Dir(inside), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(inside, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		r := w.place.Start("1.0.0")
		if r.Err != nil || !r.Again {
			t.Fatalf("%+v", r)
		}
		if o := w.place.Outcome(); o == nil || !o.Failed || !strings.Contains(o.Why, "couldn't be put in place") {
			t.Errorf("%+v", o)
		}
		if err := os.RemoveAll(w.place.at("share/taken")); err != nil {
			t.Fatal(err)
		}
		w.whole(t, a, "state.json")
	})
}

func TestUpdateThatWasChangedOnDiskIsNotInstalled(t *testing.T) {
	forEachHow(t, func(t *testing.T, how string) {
		a := as(how, content("1.0.0"))
		w := newWorldOf(t, how, a, as(how, content("1.1.0")))
		for name, change := range map[string]func(path string) error{
			"cut short": func(path string) error { return os.Truncate(path, 3) },
			"removed":   os.Remove,
			"a link": func(path string) error {
				_ = os.Remove(path)
				return os.Symlink("/etc/passwd", path)
			},
		} {
			if err := w.stage(t); err != nil {
				t.Fatal(err)
			}
			if err := change(w.place.dir("new", nameAs(how, lib+"/weft-agent"))); err != nil {
				t.Fatal(err)
			}
			r := w.place.Start("1.0.0")
			if r.Again || fault.CodeOf(r.Err) != codeBroken {
				t.Errorf("%s: %+v", name, r)
			}
			r.Close()
			w.whole(t, a)
		}
	})
}

func TestUpdateIsForgottenWhereAnotherVersionWasInstalled(t *testing.T) {
	forEachHow(t, func(t *testing.T, how string) {
		for _, other := range []string{"1.1.0", "2.0.0"} {
			w := newWorldOf(t, how, as(how, content("1.0.0")), as(how, content("1.1.0")))
			if err := w.stage(t); err != nil {
				t.Fatal(err)
			}
			if r := w.place.Start(other); r.Again || r.Err != nil || w.place.Ready() != "" {
				t.Errorf("%+v", r)
			} else {
				r.Close()
			}
		}
	})
}

func TestUnreadableStateIsTold(t *testing.T) {
	forEachHow(t, func(t *testing.T, how string) {
		a := as(how, content("1.0.0"))
		w := newWorldOf(t, how, a, as(how, content("1.1.0")))
		for _, text := range []string{"{", `{"format":2,"phase":"replacing"}`, `{"format":1,"phase":"back","new":[{"name":"../../x"}]}`, `{"format":1,"phase":"back","old":["../../x"]}`} {
			if err := os.MkdirAll(w.place.dir(), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(w.place.dir(stateFile), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			r := w.place.Start("1.0.0")
			if r.Again || fault.CodeOf(r.Err) != codeBroken || !strings.Contains(r.Err.Error(), "Install Weft again") {
				t.Errorf("%s: %+v", text, r)
			}
			r.Close()
			w.whole(t, a, "state.json")
		}
	})
}

func TestStartWaitsForTheOneThatReplaces(t *testing.T) {
	forEachHow(t, func(t *testing.T, how string) {
		w := newWorldOf(t, how, as(how, content("1.0.0")), as(how, content("1.1.0")))
		lock, err := tryLock(w.place.at(w.place.layout.lib), filelock.Exclusive)
		if err != nil {
			t.Fatal(err)
		}
		began := make(chan struct{})
		ended := make(chan *Running)
		go func() {
			close(began)
			ended <- w.place.start("1.0.0", func(string) {}, time.Now)
		}()
		<-began
		if err := filelock.Share(lock); err != nil {
			t.Fatal(err)
		}
		if r := <-ended; r == nil || r.Err != nil {
			t.Errorf("%+v", r)
		} else {
			r.Close()
		}
		lock.Close()
	})
}
