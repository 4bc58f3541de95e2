package window

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func TestRendererIsTriedOnceForEachMachine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "renderer.json")
	expect := func(what string, r *renderer, without, open bool) *renderer {
		t.Helper()
		if r.WithoutDMABUF() != without || r.Open() != open {
			t.Fatalf("%s: without DMABUF %t, open %t", what, r.WithoutDMABUF(), r.Open())
		}
		return r
	}
	empty := func(r *renderer, want bool) {
		t.Helper()
		if again, err := r.Empty(); err != nil || again != want {
			t.Fatalf("starts again: %t, %v", again, err)
		}
	}
	first := expect("the first start", readRenderer(path, "one"), false, true)
	if err := first.Drawn(); err != nil {
		t.Fatal(err)
	}
	empty(first, true)
	second := expect("after an empty window", readRenderer(path, "one"), true, true)
	if err := second.Drawn(); err != nil {
		t.Fatal(err)
	}
	expect("after it has helped", readRenderer(path, "one"), true, false)

	other := expect("after an upgrade", readRenderer(path, "two"), false, true)
	empty(other, true)
	empty(expect("the second start after it", readRenderer(path, "two"), true, true), false)
	expect("after it hasn't helped", readRenderer(path, "two"), false, false)

	for _, text := range []string{"", "{", "[]", `{"machine":"two","withoutDMABUF":7}`, `{"machine":"two","withoutDMABUF":"perhaps"}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		expect("with the file "+text, readRenderer(path, "two"), false, true)
	}
}

// A start that crashed before its first frame, for example with "Error 71 (Protocol error)", counts like one whose
// window stayed empty.
func TestStartThatDiedCountsLikeAnEmptyWindow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "renderer.json")
	start := func(what string, without bool) *renderer {
		t.Helper()
		r := readRenderer(path, "one")
		if err := r.Begin(); err != nil {
			t.Fatal(err)
		}
		if r.WithoutDMABUF() != without {
			t.Fatalf("%s: without DMABUF %t", what, r.WithoutDMABUF())
		}
		return r
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(start("the first start, closed at once", false).End())
	start("the second, which dies", false)
	start("the third, which dies too", true)
	if r := start("the fourth", false); r.Open() {
		t.Error("what has not helped is tried again")
	}

	path = filepath.Join(t.TempDir(), "renderer.json")
	start("a start that dies", false)
	ok(start("the next one", true).Drawn())
	start("after it has helped, a start that dies", true)
	start("and another one", true)

	path = filepath.Join(t.TempDir(), "renderer.json")
	ok(start("a start with a picture", false).Drawn())
	start("a start that dies after that", false)
	start("and another one", false)
}

// If the state can't be saved, each start would try again, forever.
func TestRendererDoesNotStartAgainWhereNothingCanBeRemembered(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := readRenderer(filepath.Join(file, "renderer.json"), "one")
	if again, err := r.Empty(); err == nil || again {
		t.Errorf("starts again: %t, %v", again, err)
	}
}

func TestFirstPictureIsEmptyOnlyAfterIdleSecondsInARow(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		looks := make([]look, random.IntN(mostLooks+20))
		chance := random.Float64()
		for i := range looks {
			looks[i] = look{Idle: random.Float64() < chance, Drawn: random.IntN(100) == 0}
		}
		wantDrawn, wantKnown, row := false, false, 0
		for i := 0; i < len(looks) && i < mostLooks && !wantKnown; i++ {
			row++
			if !looks[i].Idle {
				row = 0
			}
			wantDrawn = looks[i].Drawn
			wantKnown = wantDrawn || row == looksUntilEmpty
		}
		n := -1
		drawn, known := waitForPicture(func() bool { n++; return n < len(looks) }, func() look { return looks[n] })
		if known != wantKnown || known && drawn != wantDrawn {
			t.Fatalf("drawn %t, known %t after %d looks, not %t, %t: %v", drawn, known, n, wantDrawn, wantKnown, looks)
		}
	}
}
