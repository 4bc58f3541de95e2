//go:build linux

package update

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"weft/backend/base/fault"
)

// smallDisk moves the place of w to a file system of its own.
func (w *world) smallDisk(t *testing.T, old map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no file system can be mounted here:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	fresh := installed(t, HowArchive, old)
	w.place = newPlace(HowArchive, filepath.Join(dir, "prefix"))
	if err := os.CopyFS(w.place.Prefix, os.DirFS(fresh.Prefix)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fill leaves no room on a disk, until free is called.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for chunk := make([]byte, 4096); ; {
		if _, err := f.Write(chunk); err != nil {
			break
		}
	}
	_ = f.Close()
	return func() { _ = os.Remove(path) }
}

// starts starts Weft until it continues. It returns the last start.
func (w *world) starts(t *testing.T, step func(string)) *Running {
	t.Helper()
	for range 4 {
		r := w.place.start(versionAt(w.place), step, time.Now)
		if r == nil {
			t.Fatal("the start has no lock")
		}
		if !r.Again {
			return r
		}
	}
	t.Fatal("Weft starts again and again")
	return nil
}

// TestDiskThatIsFullOrReadOnlyFromAnyStep has the disk take nothing anymore before each step of the replacement, and of the way back. A whole version
// runs all the same, and when the disk takes something again, the next start brings things in order.
func TestDiskThatIsFullOrReadOnlyFromAnyStep(t *testing.T) {
	a, b := content("1.0.0", "share/old/a/file"), content("1.1.0", "share/new/file", "share/other/new/file")
	for name, break_ := range map[string]func(t *testing.T, dir string) (mend func()){
		"full": fill,
		"read-only": func(t *testing.T, dir string) func() {
			if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				t.Fatal(err)
			}
			return func() { _ = syscall.Mount("", dir, "", syscall.MS_REMOUNT, "") }
		},
	} {
		for _, back := range []bool{false, true} {
			for n := 1; ; n++ {
				w := newWorld(t, a, b)
				dir := w.smallDisk(t, a)
				if err := w.stage(t); err != nil {
					t.Fatal(err)
				}
				if back {
					w.starts(t, func(string) {}).Close() // doesn't come up
				}
				left, at, mend := n, "", func() {}
				r := w.starts(t, func(what string) {
					if left--; left == 0 {
						at, mend = what, break_(t, dir)
					}
				})
				if left > 0 {
					r.Close()
					break
				}
				running := versionAt(w.place)
				t.Logf("%s, back %v, before %q: runs %s, trial %v, %v", name, back, at, running, r.Trial, r.Err)
				if r.Err != nil && (fault.Of(r.Err) == nil) {
					t.Errorf("%s, back %v, before %q: no sentence: %v", name, back, at, r.Err)
				}
				// A version that doesn't start stays only where nothing can be written.
				if back && running != "1.0.0" && name == "full" {
					t.Errorf("%s, before %q: the version that doesn't start is still there", name, at)
				}
				agent, _ := os.ReadFile(w.place.at(lib + "/weft-agent"))
				if string(agent) != "agent of "+running && r.Err == nil {
					t.Errorf("%s, back %v, before %q: %s runs with the %s", name, back, at, running, agent)
				}
				r.Close()
				mend()
				r = w.starts(t, func(string) {})
				if r.Err != nil {
					t.Errorf("%s, back %v, before %q: afterwards: %v", name, back, at, r.Err)
				}
				if _, err := r.Up(); err != nil {
					t.Error(err)
				}
				r.Close()
				if versionAt(w.place) == "1.0.0" {
					w.whole(t, a, "state.json")
				} else {
					w.whole(t, b, "state.json")
				}
			}
		}
	}
}
