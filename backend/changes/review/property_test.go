package review

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/backend/changes/review/hunk"
)

// content makes files as they are found: any endings, any bytes.
func content(t *rapid.T, name string) string {
	ends := rapid.SampledFrom([][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}}).Draw(t, name+" ends")
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{"", "", "\xef\xbb\xbf"}).Draw(t, name+" mark"))
	for range rapid.IntRange(0, 8).Draw(t, name+" lines") {
		b.WriteString(rapid.SampledFrom([]string{"a", "b", "", "\xff\xfe", "ä", "}"}).Draw(t, name+" line"))
		b.WriteString(rapid.SampledFrom(ends).Draw(t, name+" end"))
	}
	b.WriteString(rapid.SampledFrom([]string{"", "last"}).Draw(t, name+" last"))
	return b.String()
}

// draw makes each of the files, or not, and returns all files of the folder.
func (w *world) draw(rt *rapid.T, names []string) map[string]string {
	for _, name := range names {
		if rapid.Bool().Draw(rt, name+" is there") {
			w.write(name, content(rt, name))
		} else {
			_ = os.Remove(filepath.Join(w.dir, name))
		}
	}
	return filesOf(w)
}

// Random files, random edits in two turns with edits of the user in between, random decisions in random order.
// Rejecting all restores the first state bit for bit unless someone else has edited; accepting doesn't change the
// files.
func TestDecisionsOnDisk(t *testing.T) {
	w := newWorld(t)
	names := []string{"a.txt", "sub/b.txt", "sub/deep/c"}
	rapid.Check(t, func(rt *rapid.T) {
		w.accept()
		before := w.draw(rt, names)
		for n := range rapid.IntRange(1, 2).Draw(rt, "turns") {
			w.turn(func() {
				for _, name := range names {
					switch rapid.IntRange(0, 3).Draw(rt, fmt.Sprint(name, " in turn ", n)) {
					case 0:
						_ = os.Remove(filepath.Join(w.dir, name))
					case 1, 2:
						w.write(name, content(rt, fmt.Sprint(name, n)))
					}
				}
			})
		}
		after := filesOf(w)
		want := map[string]string{}
		// again takes an acceptance back, and returns the file as it is listed then: with the changes that it had.
		again := func(f File) File {
			w.reopen(f.Path, "")
			for _, now := range w.list() {
				if now.Path == f.Path && now.Version == f.Version {
					return now
				}
			}
			rt.Fatalf("%s came back to the review as %+v, want %+v", f.Path, w.list(), f)
			return f
		}
		for _, f := range w.list() {
			if f.What == "renamed" {
				both := []Pick{{ID: f.ID, Version: f.Version}, {ID: f.Also}}
				if rapid.Bool().Draw(rt, f.Path+" kept") {
					w.accept(both...)
					want[f.Path], want[f.From] = after[f.Path], after[f.From]
				} else {
					w.reject(both...)
					want[f.Path], want[f.From] = before[f.Path], before[f.From]
				}
				continue
			}
			base, agent := []byte(before[f.Path]), []byte(after[f.Path])
			c := hunk.Compare(base, agent)
			if !f.Shown || len(c.Hunks) == 0 || rapid.Bool().Draw(rt, f.Path+" whole") {
				if rapid.Bool().Draw(rt, f.Path+" kept") {
					w.accept(Pick{ID: f.ID, Version: f.Version})
					if f = again(f); rapid.Bool().Draw(rt, f.Path+" accepted again") {
						w.accept(Pick{ID: f.ID, Version: f.Version})
					} else {
						w.reject(Pick{ID: f.ID, Version: f.Version})
						after[f.Path] = before[f.Path]
					}
					want[f.Path] = after[f.Path]
				} else {
					w.reject(Pick{ID: f.ID, Version: f.Version})
					want[f.Path] = before[f.Path]
				}
				continue
			}
			keep := make([]bool, len(c.Hunks))
			for i := range keep {
				keep[i] = rapid.Bool().Draw(rt, fmt.Sprint(f.Path, " hunk ", i))
			}
			// All that is kept at once, then all that is not: by their numbers as they are shown then.
			var kept []int
			for i := range keep {
				if keep[i] {
					kept = append(kept, i)
				}
			}
			if len(kept) > 0 {
				w.accept(Pick{ID: f.ID, Version: f.Version, Hunks: kept})
				f = again(f)
				w.accept(Pick{ID: f.ID, Version: f.Version, Hunks: kept})
			}
			if len(kept) < len(keep) {
				if out := w.reject(Pick{ID: f.ID}); len(out.Left) > 0 {
					rt.Fatalf("%s was left: %+v", f.Path, out)
				}
			}
			want[f.Path] = string(c.Accept(func(i int) bool { return keep[i] }))
		}
		if left := w.list(); len(left) > 0 {
			rt.Fatalf("still to be reviewed: %+v", left)
		}
		for path, text := range want {
			if got, err := os.ReadFile(filepath.Join(w.dir, path)); string(got) != text || err != nil && text != "" {
				rt.Fatalf("%s holds %q (%v), want %q; it was %q and the agent made %q", path, got, err, text, before[path], after[path])
			}
		}
	})
}

// While the last scan of a turn waits, the user edits files that the agent has changed, by any way, or not. An undo of
// the turn leaves each of them as the user saved it, and restores all others.
func TestUndoLeavesWhatTheUserSavedBeforeTheLastScan(t *testing.T) {
	w := newWorld(t)
	names := []string{"a.txt", "sub/b.txt", "sub/deep/c", "d"}
	w.turn(func() {}) // the folder was scanned
	rapid.Check(t, func(rt *rapid.T) {
		before := w.draw(rt, names)
		end := w.begin(w.space)
		hold := func() {}
		held := rapid.IntRange(0, len(names)).Draw(rt, "held before")
		for i, name := range names {
			if i == held {
				hold = w.hold()
			}
			change := func() error { w.write(name, content(rt, "the agent's "+name)); return nil }
			switch rapid.IntRange(0, 4).Draw(rt, "how "+name+" is changed") {
			case 0:
				w.must(change())
			case 1:
				w.must(w.reviews.Watcher.Write(t.Context(), w.space, name, change))
			case 2:
				w.must(change())
				w.named(name)
			case 3:
				_ = os.Remove(filepath.Join(w.dir, name))
			}
		}
		if held == len(names) {
			hold = w.hold()
		}
		run := fmt.Sprint("r", w.turns)
		running := w.reviews.folders.turnOf(run)
		w.reviews.Watcher.AfterTurn(w.space, run)
		mine := map[string]string{}
		for _, name := range names {
			if rapid.IntRange(0, 2).Draw(rt, "the user saves "+name) == 0 {
				mine[name] = "mine: " + content(rt, "the user's "+name)
				w.writeAfter(running, name, mine[name])
			}
		}
		hold()
		end()
		_, err := w.reviews.Undo(t.Context(), w.space, fmt.Sprint("p", w.turns), nil, false)
		w.must(err)
		after := filesOf(w)
		for _, name := range names {
			want, ok := mine[name]
			if !ok {
				want = before[name]
			}
			if after[name] != want {
				rt.Fatalf("%s holds %q, want %q; it held %q, and the user saved %q", name, after[name], want, before[name], mine[name])
			}
		}
		w.accept()
	})
}

func filesOf(w *world) map[string]string {
	out := map[string]string{}
	for path := range w.tree() {
		if b, err := os.ReadFile(filepath.Join(w.dir, path)); err == nil {
			out[path] = string(b)
		}
	}
	return out
}

// A turn begins long before the first scan of its folder has ended. No change is missed, and no earlier content is
// guessed.
func TestTurnBeforeTheFirstScanMissesNothing(t *testing.T) {
	w := newWorld(t)
	const n = 1500
	for i := range n {
		w.write(fmt.Sprintf("d%d/f%d", i%20, i), fmt.Sprintln("old", i))
	}
	w.older(filepath.Join("d19", fmt.Sprint("f", n-1)))
	w.reviews.Watcher.wait = time.Nanosecond
	changed := map[string]bool{}
	w.turn(func() {
		for i := 0; i < n; i += 97 {
			name := fmt.Sprintf("d%d/f%d", i%20, i)
			w.write(name, fmt.Sprintln("new", i))
			changed[name] = true
		}
		path := filepath.Join(w.dir, "d1/f1")
		w.must(w.reviews.Watcher.Write(t.Context(), w.space, path, func() error { w.write("d1/f1", "through Weft\n"); return nil }))
		changed["d1/f1"] = true
	})
	kinds := map[string]int{}
	for _, f := range w.list() {
		if !changed[f.Path] {
			t.Errorf("%s was not changed", f.Path)
		}
		delete(changed, f.Path)
		kinds[f.What]++
		if f.Path == "d1/f1" && f.What != "edited" {
			t.Errorf("what Weft wrote itself is %q", f.What)
		}
		out := w.reject(Pick{ID: f.ID})
		b, err := os.ReadFile(filepath.Join(w.dir, f.Path))
		w.must(err)
		if put := bytes.HasPrefix(b, []byte("old")); put != (f.What == "edited") || put == (len(out.Left) > 0) {
			t.Errorf("%s (%s) holds %q: %+v", f.Path, f.What, b, out)
		}
	}
	if len(changed) > 0 {
		t.Errorf("missed: %v", slices.Sorted(keys(changed)))
	}
	t.Log(kinds)
}

func keys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
