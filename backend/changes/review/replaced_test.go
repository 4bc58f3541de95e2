//go:build unix

package review

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"weft/backend/changes/review/snapshots"
)

// replaces puts another folder at the path of the space's folder.
func (w *world) replaces(files map[string]string) {
	w.t.Helper()
	w.must(os.Rename(w.dir, w.dir+".bak"))
	for name, text := range files {
		w.write(name, text)
	}
}

func TestTurnIgnoresAReplacementOfItsFolder(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	w.write("gone.txt", "1\n")
	w.turn(func() {
		w.must(w.reviews.Watcher.Write(t.Context(), w.space, filepath.Join(w.dir, "a.txt"), func() error { w.write("a.txt", "2\n"); return nil }))
		w.replaces(map[string]string{"a.txt": "another\n", "b.txt": "b\n"})
		// Weft refuses this, and what the agent does by itself doesn't belong to this turn either.
		w.must(w.reviews.Watcher.Write(t.Context(), w.space, filepath.Join(w.dir, "b.txt"), func() error { w.write("b.txt", "mine\n"); return nil }))
	})
	w.wants("edited a.txt +1 -1")
	w.turn(func() { w.write("b.txt", "2\n") })
	w.wants("edited a.txt +1 -1", "edited b.txt +1 -1")
}

// The folder is replaced while the agent of a turn is still being started.
func TestTurnUsesTheFolderThatExistsAtItsStart(t *testing.T) {
	for _, link := range []bool{false, true} {
		w := newWorld(t)
		if link {
			w.must(os.Rename(w.dir, w.dir+".first"))
			w.must(os.Symlink(w.dir+".first", w.dir))
		}
		w.write("a.txt", "1\n")
		w.write("gone.txt", "1\n")
		ready := w.reviews.Watcher.BeforeTurn(w.space, "r1", "p1")
		w.must(w.reviews.Watcher.Settled(t.Context(), w.space))
		if link {
			w.must(os.Remove(w.dir))
			w.must(os.Mkdir(w.dir+".second", 0o700))
			w.must(os.Symlink(w.dir+".second", w.dir))
			w.write("a.txt", "another\n")
		} else {
			w.replaces(map[string]string{"a.txt": "another\n"})
		}
		ready(t.Context())
		w.write("a.txt", "the agent's\n")
		w.reviews.Watcher.AfterTurn(w.space, "r1")
		w.must(w.reviews.Watcher.Settled(t.Context(), w.space))
		w.wants("edited a.txt +1 -1")
		if _, err := w.reviews.Undo(t.Context(), w.space, "p1", nil, false); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(w.dir, "a.txt")); err != nil || string(text) != "another\n" {
			t.Errorf("link %v: after the undo a.txt holds %q, %v", link, text, err)
		}
	}
}

// Two members of a space work, one in the former and one in the present target of a link.
func TestTurnsOfASpaceInTwoFoldersEnd(t *testing.T) {
	w := newWorld(t)
	w.must(os.Rename(w.dir, w.dir+".first"))
	w.must(os.Symlink(w.dir+".first", w.dir))
	w.write("a.txt", "1\n")
	first := w.begin(w.space)
	there := w.reviews.folders.active(w.space)
	w.write("a.txt", "2\n")
	w.must(os.Remove(w.dir))
	w.must(os.Mkdir(w.dir+".second", 0o700))
	w.must(os.Symlink(w.dir+".second", w.dir))
	w.write("b.txt", "1\n")
	second := w.begin(w.space)
	w.write("b.txt", "2\n")
	first()
	over := make(chan struct{})
	there.enqueue(func(context.Context) { close(over) }) // Settled is about where the space is now
	<-over
	second()
	w.must(w.reviews.Watcher.Settled(t.Context(), w.space))
	if turn := w.reviews.folders.turn(w.space); turn != nil {
		t.Errorf("a turn is left: %+v", turn)
	}
	w.wants("edited a.txt +1 -1", "edited b.txt +1 -1")
}

// A scan of a folder that is removed doesn't report its files as deleted.
func TestScanOfARemovedFolderReportsNothing(t *testing.T) {
	for range 40 {
		w := newWorld(t)
		w.write("a.txt", "1\n")
		for i := range 50 {
			w.write(fmt.Sprintf("dir%d/b.txt", i), "1\n")
		}
		w.turn(func() {
			for range 3 {
				w.reviews.Watcher.Warm(w.space)
			}
			w.must(os.Rename(w.dir, w.dir+".gone"))
			w.must(os.RemoveAll(w.dir + ".gone"))
			w.write("a.txt", "another\n")
		})
		w.wants()
	}
}

// A look at a file that an agent names reports nothing of a folder that is replaced meanwhile.
func TestLookAtAFileOfAReplacedFolderReportsNothing(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	w.turn(func() {
		w.must(w.reviews.Watcher.Settled(t.Context(), w.space))
		w.write("new.txt", "2\n")
		of := w.reviews.folders.turn(w.space)
		of.late = true // the content before the turn isn't known
		of.pass.Store(math.MaxInt64)
		w.must(of.tracked.after(of, "new.txt", "", false, func(snapshots.State) (snapshots.State, error) {
			w.must(os.Rename(w.dir, w.dir+".gone"))
			w.write("a.txt", "another\n")
			return snapshots.State{Kind: snapshots.Absent}, nil
		}))
	})
	w.wants()
}
