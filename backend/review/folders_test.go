package review

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"weft/backend/raced"
)

// TestUndoLeavesNoFolderOfTheAgent draws turns that write files into new and old folders, by Weft and by commands, and
// undoes all of them: the folders that are there then are those that were there before.
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
			} else if _, err := w.reviews.Undo(t.Context(), w.space, "p1", nil); err != nil {
				t.Fatal(err)
			}
			w.same(before)
		})
	}
}
