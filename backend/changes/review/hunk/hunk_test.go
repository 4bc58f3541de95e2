package hunk

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// text makes files as they are found: LF, CRLF and mixed, with and without a last line feed,
// empty, not UTF-8, with a byte order mark.
func text(t *rapid.T, name string) []byte {
	ends := rapid.SampledFrom([][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n", "\r"}}).Draw(t, name+" endings")
	words := []string{"", "a", "b", "c", "}", "\t}", "\xff\xfe", "ä", "x\x00y"}
	var b bytes.Buffer
	if rapid.IntRange(0, 9).Draw(t, name+" mark") == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	for range rapid.IntRange(0, 14).Draw(t, name+" lines") {
		b.WriteString(rapid.SampledFrom(words).Draw(t, name+" line"))
		b.WriteString(rapid.SampledFrom(ends).Draw(t, name+" end"))
	}
	if rapid.Bool().Draw(t, name+" open end") {
		b.WriteString("last")
	}
	return b.Bytes()
}

// edited makes another version of a file.
func edited(t *rapid.T, name string, from []byte) []byte {
	lines := Lines(from)
	for range rapid.IntRange(0, 4).Draw(t, name+" edits") {
		at := rapid.IntRange(0, len(lines)).Draw(t, name+" at")
		n := rapid.IntRange(0, min(3, len(lines)-at)).Draw(t, name+" removed")
		put := Lines(text(t, name+" put"))
		lines = append(lines[:at:at], append(put, lines[at+n:]...)...)
	}
	return []byte(strings.Join(lines, ""))
}

func TestDiffIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := text(t, "a")
		b := edited(t, "b", a)
		c := Compare(a, b)
		at := Hunk{}
		for i, h := range c.Hunks {
			if i > 0 && (h.OldStart <= at.OldEnd || h.NewStart <= at.NewEnd) {
				t.Fatalf("hunks touch: %v after %v", h, at)
			}
			if h.OldStart-at.OldEnd != h.NewStart-at.NewEnd {
				t.Fatalf("between %v and %v the sides differ in length", at, h)
			}
			at = h
		}
		if got := c.Accept(func(int) bool { return true }); !bytes.Equal(got, b) {
			t.Fatalf("all accepted: %q, want %q", got, b)
		}
		if got := c.Accept(func(int) bool { return false }); !bytes.Equal(got, a) {
			t.Fatalf("none accepted: %q, want %q", got, a)
		}
	})
}

// Hunks are decided one at a time, in any order, in a file that nobody else edits. Together they give the wanted
// result. The lines are distinct, so that hunks stay the same.
func TestDecisionsInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		unique := func(name string, most int) (lines []string) {
			for range rapid.IntRange(0, most).Draw(t, name) {
				n++
				lines = append(lines, fmt.Sprint(n, rapid.SampledFrom([]string{"\n", "\r\n", "\xff\n"}).Draw(t, name+" end")))
			}
			return lines
		}
		base := unique("base", 12)
		agent := slices.Clone(base)
		for range rapid.IntRange(0, 4).Draw(t, "edits") {
			at := rapid.IntRange(0, len(agent)).Draw(t, "at")
			gone := rapid.IntRange(0, min(3, len(agent)-at)).Draw(t, "removed")
			agent = slices.Replace(agent, at, at+gone, unique("put", 3)...)
		}
		mark, now := []byte(strings.Join(base, "")), []byte(strings.Join(agent, ""))
		if rapid.Bool().Draw(t, "open end") {
			now = bytes.TrimSuffix(now, []byte("\n"))
		}
		first := Compare(mark, now)
		keep, open := make([]bool, len(first.Hunks)), make([]int, len(first.Hunks))
		for i := range keep {
			keep[i], open[i] = rapid.Bool().Draw(t, "keep"), i
		}
		want := first.Accept(func(i int) bool { return keep[i] })
		for len(open) > 0 {
			c := Compare(mark, now)
			if len(c.Hunks) != len(open) {
				t.Fatalf("%d hunks are left, want %d", len(c.Hunks), len(open))
			}
			k := rapid.IntRange(0, len(open)-1).Draw(t, "next")
			mark, now = decide(t, &c, k, keep[open[k]], mark, now)
			open = slices.Delete(open, k, k+1)
		}
		if !bytes.Equal(now, want) || !bytes.Equal(mark, want) {
			t.Fatalf("file %q, base %q, want %q", now, mark, want)
		}
	})
}

// decide decides one hunk and compares with the same done by hand.
func decide(t *rapid.T, c *Change, k int, keep bool, mark, now []byte) (newMark, newNow []byte) {
	h := c.Hunks[k]
	if keep {
		got := c.Accept(func(i int) bool { return i == k })
		if want := splice(c.Base, h.OldStart, h.OldEnd, c.Agent[h.NewStart:h.NewEnd]); string(got) != want {
			t.Fatalf("accepted %v: %q, want %q", h, got, want)
		}
		return got, now
	}
	got, left := c.In(now).Reject(func(i int) bool { return i == k })
	if want := splice(c.Agent, h.NewStart, h.NewEnd, c.Base[h.OldStart:h.OldEnd]); string(got) != want || len(left) > 0 {
		t.Fatalf("rejected %v: %q, want %q; left %v", h, got, want, left)
	}
	return mark, got
}

func splice(lines []string, from, to int, put []string) string {
	return strings.Join(lines[:from], "") + strings.Join(put, "") + strings.Join(lines[to:], "")
}

// For any text: each decision changes the bytes as shown, and after the last one nothing is left to review.
func TestEveryDecisionIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mark := text(t, "base")
		now := edited(t, "agent", mark)
		for steps := 0; ; steps++ {
			c := Compare(mark, now)
			if len(c.Hunks) == 0 {
				break
			}
			if steps > 100 {
				t.Fatalf("there is no end to it: %q, %q", mark, now)
			}
			k := rapid.IntRange(0, len(c.Hunks)-1).Draw(t, "next")
			mark, now = decide(t, &c, k, rapid.Bool().Draw(t, "keep"), mark, now)
		}
		if !bytes.Equal(mark, now) {
			t.Fatalf("all is decided, and %q is not %q", now, mark)
		}
	})
}

// Later edits of others are never lost, whatever is rejected.
func TestLaterEditsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := text(t, "base")
		agent := edited(t, "agent", base)
		present := edited(t, "present", agent)
		c := Compare(base, agent)
		p := c.In(present)
		for i, h := range c.Hunks {
			at := p.Locations[i]
			if at.Start < 0 || at.End < at.Start || at.End > len(p.Lines) {
				t.Fatalf("hunk %v stands at %v of %d lines", h, at, len(p.Lines))
			}
			if at.Unchanged && strings.Join(p.Lines[at.Start:at.End], "") != strings.Join(c.Agent[h.NewStart:h.NewEnd], "") {
				t.Fatalf("hunk %v does not hold at %v", h, at)
			}
		}
		got, left := p.Reject(func(int) bool { return true })
		skip := map[int]bool{}
		for _, i := range left {
			skip[i] = true
		}
		// The same by hand: only the lines of hunks that hold are replaced.
		var want []string
		at := 0
		for i, h := range c.Hunks {
			if !skip[i] {
				want = append(append(want, p.Lines[at:p.Locations[i].Start]...), c.Base[h.OldStart:h.OldEnd]...)
				at = p.Locations[i].End
			}
		}
		want = append(want, p.Lines[at:]...)
		if string(got) != strings.Join(want, "") {
			t.Fatalf("got %q, want %q", got, strings.Join(want, ""))
		}
		if bytes.Equal(agent, present) && (len(left) > 0 || !bytes.Equal(got, base)) {
			t.Fatalf("nobody edited, yet %v are left and %q is not %q", left, got, base)
		}
	})
}

func TestLocationsAfterLaterEdits(t *testing.T) {
	for _, c := range []struct{ name, base, agent, present, want string }{
		{"untouched", "a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nb\nc\n"},
		{"edited above", "a\nb\nc\n", "a\nB\nc\n", "A\nx\nB\nc\n", "A\nx\nb\nc\n"},
		{"edited inside", "a\nb\nc\n", "a\nB\nc\n", "a\nBB\nc\n", "a\nBB\nc\n"},
		{"typed where lines were deleted", "a\nb\nc\n", "a\nc\n", "a\nmine\nc\n", "a\nmine\nc\n"},
		{"deleted lines come back", "a\nb\nc\nd\n", "a\nc\nd\n", "a\nc\nD\n", "a\nb\nc\nD\n"},
		{"no last line feed, and the user adds a line", "x", "y\n", "y\nz\n", "y\nz\n"},
		{"no last line feed", "a\nx", "a\ny\nz", "a\ny\nz", "a\nx"},
		{"new file", "", "a\nb\n", "a\nb\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			change := Compare([]byte(c.base), []byte(c.agent))
			got, _ := change.In([]byte(c.present)).Reject(func(int) bool { return true })
			if string(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRebaseKeepsEditsOfOthers(t *testing.T) {
	c := Compare([]byte("a\nb\nc\nd\n"), []byte("a\nB\nc\nD\n"))
	if got := string(c.Rebase([]byte("mine\na\nB\nc\nDD\n"))); got != "mine\na\nb\nc\nDD\n" {
		t.Errorf("got %q", got)
	}
}

func TestLargeDiffIsFastAndExact(t *testing.T) {
	var a, b strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&a, "line %d\n", i)
		if i%2 == 0 {
			fmt.Fprintf(&b, "line %d, changed\n", i)
		} else {
			fmt.Fprintf(&b, "line %d\n", i)
		}
	}
	start := time.Now()
	c := Compare([]byte(a.String()), []byte(b.String()))
	if len(c.Hunks) != 20_000 {
		t.Errorf("%d hunks, want 20000", len(c.Hunks))
	}
	t.Log("compared in", time.Since(start))
}
