package commandline

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestPlainLeavesNothingThatSteersATerminal draws texts of pieces that do, in pieces of any length.
func TestPlainLeavesNothingThatSteersATerminal(t *testing.T) {
	t.Parallel()
	parts := []string{
		"\x1b]0;title\x07", "\x1b[2J", "\u009b31m", "\x9b31m", "\r", "\b", "\x7f", "\x00", "\u202egpj.exe", "\u2066", "\x1bP", "\xe2\x82", "\xff",
		"word", "ü", "日本", "🧵", "\n", "\t", "\u200d",
	}
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		for range rnd.IntN(12) {
			text.WriteString(parts[rnd.IntN(len(parts))])
		}
		text.WriteString("end")
		var out strings.Builder
		w, in := Plain(&out), text.String()
		for rest := in; rest != ""; {
			n := 1 + rnd.IntN(len(rest))
			if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
				t.Fatal(got, err)
			}
			rest = rest[n:]
		}
		if want := PlainText(in); out.String() != want {
			t.Fatalf("seed %d: %q is written as %q, whole as %q", seed, in, out.String(), want)
		}
		for _, r := range out.String() {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) && r != '\u200e' && r != '\u200f' {
				t.Fatalf("seed %d: %q", seed, out.String())
			}
		}
		if !utf8.ValidString(out.String()) {
			t.Fatalf("seed %d: %q", seed, out.String())
		}
	}
	if text := "Ein Weg über 日本 🧵\n\tund zurück.\n"; PlainText(text) != text {
		t.Error("a text was changed")
	}
}

func TestPipedTextStaysAsItIs(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := Shown(f).Write([]byte("\x1b[31m\xff")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(f.Name()); err != nil || string(text) != "\x1b[31m\xff" {
		t.Errorf("%q, %v", text, err)
	}
}
