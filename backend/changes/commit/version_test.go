package commit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/backend/changes/review/hunk"
)

func text(s string) Version { return Version{Kind: Regular, Bytes: []byte(s), Text: true} }

func TestChangeIsAppliedToAnotherVersion(t *testing.T) {
	before, after := text("a\nb\nc\nd\ne\n"), text("a\nB\nc\nd\ne\nf\n")
	binary := func(s string) Version { return Version{Kind: Regular, Bytes: []byte(s)} }
	executable := after
	executable.Executable = true
	for _, c := range []struct {
		name     string
		v        Version
		change   Change
		want     Version
		conflict bool
	}{
		{"the same version", before, Change{before, after}, after, false},
		{"it is there already", after, Change{before, after}, after, false},
		{"other lines differ", text("a\nb\nc\nd!\ne\n"), Change{before, after}, text("a\nB\nc\nd!\ne\nf\n"), false},
		{"a part is there already", text("a\nB\nc\nd\ne\n"), Change{before, after}, after, false},
		{"a part is there and other lines differ", text("x\na\nB\nc\nd\ne\n"), Change{before, after}, text("x\na\nB\nc\nd\ne\nf\n"), false},
		{"the same lines differ", text("a\nb?\nc\nd\ne\n"), Change{before, after}, Version{}, true},
		{"a new file", Version{}, Change{Version{}, after}, after, false},
		{"a new file that is there with other content", text("x\n"), Change{Version{}, after}, Version{}, true},
		{"a deleted file", before, Change{before, Version{}}, Version{}, false},
		{"a deleted file that is gone", Version{}, Change{before, Version{}}, Version{}, false},
		{"a deleted file with other content", text("x\n"), Change{before, Version{}}, Version{}, true},
		{"bytes", binary("1"), Change{binary("1"), binary("2")}, binary("2"), false},
		{"other bytes", binary("3"), Change{binary("1"), binary("2")}, Version{}, true},
		{"the mode only", after, Change{after, executable}, executable, false},
		{"lines and mode", before, Change{before, executable}, executable, false},
		{"a line without an end", text("a"), Change{text("a"), text("a\nb")}, text("a\nb"), false},
	} {
		got, ok := c.v.With(c.change)
		if ok == c.conflict || ok && !got.same(c.want) {
			t.Errorf("%s: %q, %v", c.name, got.Bytes, ok)
		}
	}
}

// TestOnlyTheChangeIsApplied makes random changes of an agent and of a user in different lines, in texts with many equal lines.
func TestOnlyTheChangeIsApplied(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	for range 20_000 {
		base, agent, user, both := randomEdits(random)
		got, ok := text(user).With(Change{text(base), text(agent)})
		if !ok {
			continue // equal lines beside each other: it can't be told where the change belongs
		}
		if string(got.Bytes) != both && !strings.Contains(string(got.Bytes), "same") {
			t.Fatalf("seed %d: base %q, agent %q, user %q: %q, want %q", seed, base, agent, user, got.Bytes, both)
		}
		// However it was placed, it is nothing but the change.
		if a, b := deltas(user, string(got.Bytes)), deltas(base, agent); a != b && string(got.Bytes) != user {
			t.Fatalf("seed %d: base %q, agent %q, user %q: %q changes %s, the agent changed %s", seed, base, agent, user, got.Bytes, a, b)
		}
	}
}

// deltas counts how often each line was added or removed.
func deltas(from, to string) string {
	count := map[string]int{}
	for _, l := range hunk.Lines([]byte(from)) {
		count[l]--
	}
	for _, l := range hunk.Lines([]byte(to)) {
		count[l]++
	}
	for l, n := range count {
		if n == 0 {
			delete(count, l)
		}
	}
	return fmt.Sprint(count)
}

func randomEdits(random *rand.Rand) (base, agent, user, both string) {
	var b, a, u, x strings.Builder
	for i := range 1 + random.IntN(12) {
		line := fmt.Sprintf("line %d\n", i)
		if random.IntN(3) == 0 {
			line = "same\n"
		}
		b.WriteString(line)
		edit := line
		switch random.IntN(4) {
		case 0:
			edit = ""
		case 1:
			edit = line + fmt.Sprintf("new %d\n", random.IntN(3))
		case 2:
			edit = fmt.Sprintf("other %d\n", random.IntN(100))
		}
		switch random.IntN(4) {
		case 0:
			a.WriteString(edit)
			u.WriteString(line)
			x.WriteString(edit)
		case 1:
			a.WriteString(line)
			edit = strings.NewReplacer("new", "my new", "other", "my other").Replace(edit)
			u.WriteString(edit)
			x.WriteString(edit)
		default:
			a.WriteString(line)
			u.WriteString(line)
			x.WriteString(line)
		}
		// A line between two edits, so that they are two hunks.
		for _, s := range []*strings.Builder{&b, &a, &u, &x} {
			fmt.Fprintf(s, "between %d\n", i)
		}
	}
	return b.String(), a.String(), u.String(), x.String()
}

func TestRevertedChangesAreSkipped(t *testing.T) {
	old, now := text("a\nb\nc\nd\ne\n"), text("A\nb\nc\nd\nE\n")
	for _, c := range []struct {
		name    string
		present Version
		want    Version
	}{
		{"all is there", now, now},
		{"one was put back", text("a\nb\nc\nd\nE\n"), text("a\nb\nc\nd\nE\n")},
		{"one was edited further", text("A!\nb\nc\nd\nE\n"), now},
		{"all were put back", old, old},
		{"the file was deleted", Version{}, now},
	} {
		if got := now.without(old, c.present); !got.same(c.want) {
			t.Errorf("%s: %q", c.name, got.Bytes)
		}
	}
}
