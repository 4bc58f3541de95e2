package review

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"weft/backend/base/raced"
	"weft/backend/conversation/transcript"
)

// Random turns write files into new and old folders, through Weft and by commands. After undoing all of them, exactly
// the original folders exist.
func TestUndoLeavesNoFolderOfTheAgent(t *testing.T) {
	for seed := range uint64(raced.Of(25)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 22))
			w := newWorld(t)
			w.write("old/file.txt", "1\n")
			w.write("old/empty/x", "x")
			w.remove("old/empty/x") // an empty folder of the user's
			before := w.tree()
			for range 1 + rnd.IntN(3) {
				w.turn(func() {
					for range 1 + rnd.IntN(4) {
						name := []string{"new", "new/a", "new/a/b", "new/z", "old/n", "old/n/m", "old/empty", "old"}[rnd.IntN(8)] + fmt.Sprintf("/f%d.txt", rnd.IntN(3))
						do := func() error { w.write(name, fmt.Sprint(rnd.IntN(100), "\n")); return nil }
						if rnd.IntN(2) == 0 {
							_ = do()
							continue
						}
						w.must(w.reviews.Watcher.Write(t.Context(), w.space, filepath.Join(w.dir, name), do))
					}
				})
			}
			if rnd.IntN(3) == 0 {
				w.reject()
			} else if _, err := w.reviews.Undo(t.Context(), w.space, "p1", nil, false); err != nil {
				t.Fatal(err)
			}
			w.same(before)
		})
	}
}

// moves changes files and folders like a command.
func (w *world) moves(rnd *rand.Rand, n int) {
	w.t.Helper()
	places := []string{"new", "new/a", "new/a/b", "new/z", "old", "old/n", "old/empty", "old/sub", "other"}
	pick := func() string { return places[rnd.IntN(len(places))] }
	at := func(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }
	switch rnd.IntN(7) {
	case 0: // mkdir -p
		_ = os.MkdirAll(at(pick()), 0o755)
	case 1:
		_ = os.Remove(at(pick())) // rmdir
	case 2:
		_ = os.RemoveAll(at(pick()))
	case 3: // mv of a folder
		to := at(pick() + fmt.Sprint("-", n))
		_ = os.MkdirAll(filepath.Dir(to), 0o755)
		_ = os.Rename(at(pick()), to)
	case 4: // mv of a file
		files, _ := filepath.Glob(at(pick()) + "/*.txt")
		if len(files) > 0 {
			to := at(pick())
			_ = os.MkdirAll(to, 0o755)
			_ = os.Rename(files[rnd.IntN(len(files))], filepath.Join(to, fmt.Sprint("moved", n, ".txt")))
		}
	default:
		name := pick() + fmt.Sprintf("/f%d.txt", rnd.IntN(3))
		do := func() error { w.write(name, fmt.Sprint(rnd.IntN(100), "\n")); return nil }
		if rnd.IntN(2) == 0 {
			_ = do()
			break
		}
		w.must(w.reviews.Watcher.Write(w.t.Context(), w.space, at(name), do))
	}
	if rnd.IntN(2) == 0 { // the agent says that its command has ended, so that the folder is looked at
		id, kind, status := fmt.Sprint("t", n), "execute", transcript.StatusCompleted
		w.reviews.Watcher.Tool(w.space, &transcript.ToolPatch{ID: id, Kind: &kind, Status: &status})
		w.must(w.reviews.Watcher.Settled(w.t.Context(), w.space))
	}
}

// Random turns create, remove and rename files and folders. Undoing all restores the original tree, including empty
// folders; redoing restores the tree after the turns.
func TestUndoAndRedoRestoreFolders(t *testing.T) {
	for seed := range uint64(raced.Of(40)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 39))
			w := newWorld(t)
			w.write("old/file.txt", "1\n")
			w.write("old/sub/one.txt", "1\n")
			w.write("old/empty/x", "x")
			w.remove("old/empty/x") // an empty folder of the user's
			before := w.tree()
			n := 0
			for range 1 + rnd.IntN(3) {
				w.turn(func() {
					for range 1 + rnd.IntN(5) {
						n++
						w.moves(rnd, n)
					}
				})
			}
			after := w.tree()
			for range 2 {
				out, err := w.reviews.Undo(t.Context(), w.space, "p1", nil, false)
				w.must(err)
				w.same(before)
				if out.Turn == 0 {
					break
				}
				_, err = w.reviews.Redo(t.Context(), w.space, out.Turn)
				w.must(err)
				w.same(after)
			}
			if len(w.list()) > 0 { // what is not listed can't be rejected
				w.reject()
				w.same(before)
			}
		})
	}
}

func (w *world) makes(dir string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Join(w.dir, dir), 0o755))
}

func (w *world) undo() Outcome {
	w.t.Helper()
	out, err := w.reviews.Undo(w.t.Context(), w.space, "p1", nil, false)
	w.must(err)
	return out
}

func (w *world) redo(turn int64) {
	w.t.Helper()
	_, err := w.reviews.Redo(w.t.Context(), w.space, turn)
	w.must(err)
}

// plans compares the plan of an undo: "what path".
func (w *world) plans(prompt string, want ...string) {
	w.t.Helper()
	plan, err := w.reviews.PlanUndo(w.t.Context(), w.space, prompt)
	w.must(err)
	got := []string{}
	for _, f := range plan.Files {
		got = append(got, f.What+" "+f.Path)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("the undo is said to do %q, want %q", got, want)
	}
}

func TestUndoKeepsFoldersWithSomethingOfTheUser(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	w.turn(func() {
		w.makes("new/one")
		w.write("new/one/f.txt", "1\n")
		w.write("new/two/f.txt", "1\n")
		w.makes("new/empty")
		w.makes("mine")
	})
	w.write("new/two/mine.txt", "the user's\n")
	w.makes("new/empty/of the user")
	want := w.tree()
	for _, gone := range []string{"new/one", "new/one/f.txt", "new/two/f.txt", "mine"} {
		delete(want, gone)
	}
	after := w.tree()
	w.plans("p1", "remove mine/", "remove new/one/f.txt", "remove new/two/f.txt")
	out := w.undo()
	if w.same(want); out.Done != 3 || len(out.Left) > 0 {
		t.Errorf("%+v", out)
	}
	w.redo(out.Turn)
	w.same(after)
	w.undo()
	w.same(want)
}

func TestTurnThatOnlyMakesFoldersIsUndone(t *testing.T) {
	w := newWorld(t)
	w.write("old/f.txt", "1\n")
	before := w.tree()
	w.turn(func() { w.makes("old/a/b/c"); w.makes("z") })
	after := w.tree()
	if w.wants(); len(w.list()) != 0 {
		t.Error("folders are shown as files to review")
	}
	if n, err := w.reviews.Count(w.space); err != nil || n != 0 {
		t.Errorf("%d files are to be reviewed, %v", n, err)
	}
	if changed, err := w.reviews.TurnChanges(t.Context(), w.space, "r1"); err != nil || changed.Files != 0 {
		t.Errorf("the turn has changed %+v, %v", changed, err)
	}
	w.plans("p1", "remove old/a/", "remove z/")
	out := w.undo()
	if w.same(before); out.Done != 2 {
		t.Errorf("%+v", out)
	}
	c, err := w.reviews.List(t.Context(), w.space)
	w.must(err)
	if c.Last == nil || c.Last.Turn != out.Turn {
		t.Errorf("what was put back last is %+v", c.Last)
	}
	w.redo(out.Turn)
	w.same(after)
}

func TestRejectRemovesTheFolderOfANewFile(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	before := w.tree()
	id := func(path string) Pick {
		for _, f := range w.list() {
			if f.Path == path {
				return Pick{ID: f.ID}
			}
		}
		t.Fatalf("%s is not to be reviewed", path)
		return Pick{}
	}
	tool := func(n string) {
		kind, status := "execute", transcript.StatusCompleted
		w.reviews.Watcher.Tool(w.space, &transcript.ToolPatch{ID: n, Kind: &kind, Status: &status})
		w.must(w.reviews.Watcher.Settled(t.Context(), w.space))
	}
	turn := func() {
		w.turn(func() {
			w.makes("new/in") // mkdir, and later the files
			tool("mkdir")
			w.write("new/in/one.txt", "1\n")
			w.write("new/in/two.txt", "2\n")
			w.write("other/three.txt", "3\n")
			w.makes("empty")
		})
	}
	turn()
	w.reject(id("new/in/one.txt"))
	want := w.tree()
	if _, there := want["new/in/two.txt"]; !there {
		t.Fatal("the other file is gone")
	}
	out := w.reject(id("new/in/two.txt"))
	for _, gone := range []string{"new", "new/in", "new/in/two.txt"} {
		delete(want, gone)
	}
	w.same(want)
	w.redo(out.Turn)
	w.reject(id("new/in/two.txt"))
	w.same(want)
	w.reject(id("other/three.txt")) // the last one: nothing of the turn is left to decide
	w.same(before)

	turn()
	w.accept(id("new/in/one.txt"))
	w.reject()
	for p := range w.tree() {
		if _, was := before[p]; !was && p != "new" && p != "new/in" && p != "new/in/one.txt" {
			t.Errorf("%s is left", p)
		}
	}
	w.remove("new")
	turn()
	w.accept()
	w.write("new/in/one.txt", "mine\n")
	w.turn(func() { w.write("new/in/four.txt", "4\n") })
	w.remove("new/in/one.txt")
	w.remove("new/in/two.txt")
	w.reject()
	if _, there := w.tree()["new/in"]; !there {
		t.Error("a folder that was accepted is gone")
	}
}

// A folder becomes a file, and the reverse.
func TestUndoOfFolderInPlaceOfAFile(t *testing.T) {
	for _, redo := range []bool{false, true} {
		w := newWorld(t)
		w.write("file", "1\n")
		w.write("folder/in/f.txt", "1\n")
		w.makes("folder/empty")
		before := w.tree()
		w.turn(func() {
			w.remove("file")
			w.write("file/in/f.txt", "2\n")
			w.remove("folder")
			w.write("folder", "2\n")
		})
		after := w.tree()
		out := w.undo()
		w.same(before)
		if redo {
			w.redo(out.Turn)
			w.same(after)
			w.reject()
			w.same(before)
		}
	}
}

// A folder that a turn created was replaced by a link, or by a file.
func TestUndoRemovesNothingThatIsInPlaceOfAFolder(t *testing.T) {
	for what, put := range map[string]func(w *world){
		"a file": func(w *world) { w.write("made", "the user's\n") },
		"a link": func(w *world) { w.must(os.Symlink("old", filepath.Join(w.dir, "made"))) },
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			w.write("old/f.txt", "1\n")
			w.turn(func() { w.makes("made/deep") })
			w.remove("made")
			put(w)
			want := w.tree()
			w.plans("p1")
			if out := w.undo(); out.Done != 0 {
				t.Errorf("%+v", out)
			}
			w.same(want)
		})
	}
}
