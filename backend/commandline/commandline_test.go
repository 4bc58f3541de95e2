package commandline

import (
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// options are those of a command of the tests.
type options struct {
	*flag.FlagSet
	data *string
	list *bool
	most *int
}

func newOptions() options {
	f := New("test")
	return options{f, f.String("data", "", "`FOLDER` of the data"), f.Bool("list", false, "print the list"), f.Int("most", 7, "at most `N`")}
}

func TestOptionErrorsAreSaidPlainly(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--port 1":                     "there is no option --port",
		"-port":                        "there is no option --port",
		"-p":                           "there is no option -p",
		"word --port=1":                "there is no option --port",
		"---list":                      "there is no option ---list",
		"--=3":                         "there is no option --=3",
		"--data":                       "the option --data needs a value: FOLDER",
		"--most":                       "the option --most needs a value: N",
		"--most many":                  `the option --most can't have the value "many"`,
		"--most=99999999999999999999":  `the option --most can't have the value "99999999999999999999"`,
		"--list=perhaps":               "the option --list takes no value",
		"--" + strings.Repeat("ä", 99): "there is no option --" + strings.Repeat("ä", 40) + "…",
	} {
		if _, err := Words(newOptions().FlagSet, strings.Fields(args)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, not %s", args, err, want)
		}
	}
	for _, args := range [][]string{{"-h"}, {"--help"}, {"word", "--help"}} {
		if _, err := Words(newOptions().FlagSet, args); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestOptionsAreExplained(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	Options(&b, newOptions().FlagSet)
	want := "  --data FOLDER\n    \tFOLDER of the data\n  --list\n    \tprint the list\n  --most N\n    \tat most N (default 7)\n"
	if b.String() != want {
		t.Errorf("%q, not %q", b.String(), want)
	}
}

// TestWordsAreKeptInOrder puts options between words at random.
func TestWordsAreKeptInOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 9))
		var args, words []string
		data, list, most := "", false, 7
		rest := r.IntN(3) == 0 // "--" comes
		for range r.IntN(7) {
			switch r.IntN(4) {
			case 0:
				data = []string{"d", "--", "--list", "--data", "-", ""}[r.IntN(6)]
				args = append(args, [][]string{{"--data", data}, {"-data", data}, {"--data=" + data}}[r.IntN(3)]...)
			case 1:
				list = true
				args = append(args, []string{"--list", "-list", "--list=true"}[r.IntN(3)])
			case 2:
				most = r.IntN(9)
				args = append(args, "--most", string(rune('0'+most)))
			default:
				word := []string{"a", "b c", "-", "ü=1", ""}[r.IntN(5)]
				args, words = append(args, word), append(words, word)
			}
		}
		if rest {
			behind := []string{"--list", "--data", "x", "--", "-q"}[:r.IntN(6)]
			args, words = append(append(args, "--"), behind...), append(words, behind...)
		}
		o := newOptions()
		got, err := Words(o.FlagSet, args)
		if err != nil || !slices.Equal(got, words) || *o.data != data || *o.list != list || *o.most != most {
			t.Fatalf("seed %d: %q is %q, data %q, list %t, most %d, %v; not %q, %q, %t, %d", seed, args, got, *o.data, *o.list, *o.most, err, words, data, list, most)
		}
	}
}
