package conversation

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

func TestNameOfABranchIsWhatChanged(t *testing.T) {
	long := strings.Repeat("All work and no play. ", 200)
	for _, c := range []struct{ about, before, after, want string }{
		{"a word in the middle", "Pick the red apples today", "Pick the green apples today", "…green…"},
		{"the first word", "Pick the apples", "Peel the apples", "Peel…"},
		{"the last word", "Pick the apples", "Pick the pears", "…pears"},
		{"part of a word", "Use the color red", "Use the colors red", "…colors…"},
		{"a word that begins alike", "Read the theme", "Read the thesis", "…thesis"},
		{"a word that ends alike", "undo it", "redo it", "redo…"},
		{"words that were added at the end", "Make a pie", "Make a pie with apples", "…with apples"},
		{"words that were added at the start", "make a pie", "Please make a pie", "Please…"},
		{"words that were added in the middle", "Make a pie", "Make a small pie", "…small…"},
		{"a sentence that is said twice", "Go on.", "Go on. Go on.", "…Go on."},
		{"words that were removed", "Pick the red apples", "Pick apples", "Without “the red”"},
		{"the end was removed", "Pick apples, and be quick", "Pick apples", "Without “and be quick”"},
		{"two changes", "a1 b c d e2", "a1 x c y e2", "…x c y…"},
		{"everything", "Make a pie", "Sing", ""},
		{"the same", "Make a pie", "Make a pie", askedAgain},
		{"space at the ends", "Make a pie", " Make a pie\n", askedAgain},
		{"other space between", "Make a\npie", "Make a  pie", askedAgain},
		{"punctuation alone", "Make a pie.", "Make a pie!", "…pie!"},
		{"punctuation in a path", "Read src/a.ts now", "Read src/a.js now", "…a.js…"},
		{"a number", "Wait 15 minutes", "Wait 25 minutes", "…25…"},
		{"several lines", "One\ntwo\nthree", "One\n2\n\n2\nthree", "…2 2…"},
		{"Chinese", "请把苹果放在桌子上", "请把梨放在桌子上", "…梨…"},
		{"Japanese", "リンゴを食べる", "リンゴを買う", "…買う"},
		{"Korean", "사과를 먹는다", "배를 먹는다", "배를…"},
		{"an accent of its own", "Un cafe chaud", "Un cafe\u0301 chaud", "…cafe\u0301…"},
		{"an emoji with a skin tone", "Say 👋🏻 to all", "Say 👋🏿 to all", "…👋🏿…"},
		{"a family", "Draw 👨‍👩‍👧 here", "Draw 👨‍👩‍👧‍👦 here", "…👨‍👩‍👧‍👦…"},
		{"a flag", "Fly 🇩🇪 high", "Fly 🇩🇰 high", "…🇩🇰…"},
		{"Arabic", "اكتب كتابا جديدا", "اكتب رسالة جديدا", "…رسالة…"},
		{"in a long prompt", long + "red " + long, long + "green " + long, "…green…"},
		{"a long change", "Say: x", "Say: " + long, "…All work and no play. All work and no play. All work and no…"},
		{"a long change without spaces", "看：x", "看：" + strings.Repeat("長", 5000), "…" + strings.Repeat("長", maxName) + "…"},
		{"from nothing", "", "Make a pie", ""},
		{"everything but a full stop", "Make a pie.", "Sing.", ""},
		{"many words were removed", "Say: " + long + "Amen", "Say: Amen", "Without “All work and no play. All work and no play. All work and no…”"},
	} {
		if got := branchNameOf(c.before, c.after); got != c.want {
			t.Errorf("%s: got %q, want %q", c.about, got, c.want)
		}
	}
}

// TestNameOfABranchIsBounded: whatever was changed, a name is valid text, of a line, and bounded.
func TestNameOfABranchIsBounded(t *testing.T) {
	pieces := []string{"a", "bc ", " ", "\n", ". ", "日本", "é", "e\u0301", "👩‍👩‍👧‍👦", "🇩🇪", "🇩", "\u200d", "\xff", "\u202e", strings.Repeat("x", 300), strings.Repeat("語 ", 90)}
	r := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- a test
	text := func() string {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 20_000 {
		head, tail := text(), text()
		before, after := head+text()+tail, head+text()+tail
		name := branchNameOf(before, after)
		if !utf8.ValidString(name) && utf8.ValidString(after) && utf8.ValidString(before) || strings.ContainsAny(name, "\n\t") || uniseg.GraphemeClusterCount(name) > maxName+len("Without “”") {
			t.Fatalf("%q → %q: %q", before, after, name)
		}
	}
}

func TestNameOfABranchTakesLinearTime(t *testing.T) {
	for _, of := range map[string]func(n int) (before, after string){
		"words":         func(n int) (string, string) { s := strings.Repeat("one ", n/8); return s + "red" + s, s + "green" + s },
		"one word":      func(n int) (string, string) { s := strings.Repeat("x", n); return s + "y", s + "z" },
		"joined emoji":  func(n int) (string, string) { s := strings.Repeat("👩\u200d", n/7); return s + "a", s + "b" },
		"combining":     func(n int) (string, string) { s := "e" + strings.Repeat("\u0301", n/2); return s + "a", s + "b" },
		"flags":         func(n int) (string, string) { s := strings.Repeat("🇩", n/4); return s + "a", s + "b" },
		"nothing alike": func(n int) (string, string) { return strings.Repeat("a ", n/2), strings.Repeat("b ", n/2) },
		"one inside":    func(n int) (string, string) { return strings.Repeat("a ", n/4), strings.Repeat("a ", n/2) },
	} {
		before, after := of(8 << 20)
		branchNameOf(before, after) // eight megabytes, the largest prompt: what is not linear would not end
	}
}
