package clip

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// TestVisibleTextIsWhatTheFrontendShows holds both readers of outputs to the same cases.
func TestVisibleTextIsWhatTheFrontendShows(t *testing.T) {
	raw, err := os.ReadFile("testdata/visible.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]string
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for text, want := range cases {
		if got := Visible(text); got != want {
			t.Errorf("%q is visible as %q; want %q", text, got, want)
		}
	}
}

func TestVisibleTextHasNoControlsOfTerminals(t *testing.T) {
	words := strings.Split("a|bc|ü|漢|🙂|\u0301| |\t|\n|\r|\b|\a|\x0e|\x0f|\x00|\x7f|\u0085|\x1b[|\x1b]|\x1bP|\x1b(0|\x1b(B|\x1b|\x1b\\|\u009b|\u009c|\u0090|\x1b7|\x1b8|\x1bM|\x1bc|0|2|999999999|;|:|?|m|A|B|C|G|K|J|P|@|X|L|M|b|H|\x1b[2A|\x1b[2K|\x1b[3C|\x1b[2X|\x1b[J|\x1b[1K|\x1b[L|\x1b[2M|\x1b[4b|\x1b[2P|\xff", "|")
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		for range r.IntN(24) {
			text.WriteString(words[r.IntN(len(words))])
		}
		got := Visible(text.String())
		if strings.IndexFunc(got, isControl) >= 0 || len(got) > 600*(text.Len()+1) || utf8.ValidString(text.String()) && !utf8.ValidString(got) {
			t.Fatalf("seed %d: %q is visible as %q", seed, text.String(), got)
		}
	}
}

func TestVisibleTextTakesNoEndlessTime(t *testing.T) {
	for _, text := range []string{
		"a\x1b[m" + strings.Repeat("\u0301", 1_000_000),
		strings.Repeat("\x1b]", 250_000),
		strings.Repeat("a\r\x1b[999@", 50_000),
		strings.Repeat("a", 50_000) + strings.Repeat("\x1b[1K", 500_000),
		strings.Repeat("a\n", 5000) + "\x1b[9999A" + strings.Repeat("\x1b[999L", 50_000),
		strings.Repeat("\t", 5000) + "\x1b[1G" + strings.Repeat("\x1b[P", 50_000),
	} {
		if got := Visible(text); strings.IndexFunc(got, isControl) >= 0 {
			t.Errorf("%.20q has controls", text)
		}
	}
}
