package permission

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/backend/base/raced"

	"github.com/bmatcuk/doublestar/v4"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
)

func TestNameInGlob(t *testing.T) {
	t.Parallel()
	for glob, want := range map[string]string{
		"src/**": "src", "**/.env": ".env", "*.go": "", "**": "", "docs/x.md": "docs", "a/longer/b*": "longer", "**/secret/*.pem": "secret",
		"{a/b/c,d}/e": "e", "x/{a/bcd/c,d}/e": "x", "x/{a/bcd/c,d}/e/far": "far", "name{a,b}/x/{c,d}": "", "x/name{a,b}": "x", "[a/b]x/yy": "yy", `a\/b`: "", "a//b": "a", "?": "",
	} {
		if got := nameIn(glob); got != want {
			t.Errorf("%s: %q, want %q", glob, got, want)
		}
	}
}

// With random globs and paths, the index finds every rule that matches one of a file's names.
func TestPathIndexFindsAllRules(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", "b", "A", "src", ".env", "*", "**", "?", "*.go", "a*", "{a,b}", "{a/b,c}", "{src/a/b,**/b}", "[ab]", "[^a]", "a.go", "Ä", "ä", "\\a", "b{", "x]"}
	names := []string{"a", "b", "A", "src", "SRC", ".env", "a.go", "x.GO", "ab", "c", "Ä", "ä", "b{", "x]", ".", ".."}
	r := rand.New(rand.NewPCG(7, 7))
	draw := func(list []string) string {
		n := 1 + r.IntN(4)
		out := make([]string, n)
		for i := range out {
			out[i] = list[r.IntN(len(list))]
		}
		return strings.Join(out, "/")
	}
	matches := 0
	for range raced.Of(3000) {
		var rules []compiled
		for i := range 12 {
			if glob := draw(pieces); doublestar.ValidatePattern(glob) {
				rules = append(rules, compiled{Rule: Rule{ID: fmt.Sprint(i), Path: glob}, glob: newGlob(glob)})
			}
		}
		x := newPathIndex(rules)
		for range 8 {
			f := targets([]files.File{{Named: draw(names), Real: draw(names)}})
			var looked []string
			x.eachFor(func(c *compiled) bool { looked = append(looked, c.ID); return false }, nil, f)
			for i := range rules {
				if !rules[i].glob.matchesFile(f[0]) {
					continue
				}
				if matches++; !slices.Contains(looked, rules[i].ID) {
					t.Fatalf("%s matches %+v, but isn't looked at", rules[i].Path, f[0])
				}
			}
		}
	}
	if matches < raced.Of(1000) {
		t.Errorf("only %d matches were tried", matches)
	}
}

// With random commands and reject rules, the skipped rules apply to none of the commands.
func TestRejectRulesAreAllFound(t *testing.T) {
	t.Parallel()
	words := []string{"push", "-f", "--force", "-C", "x", "main", "-c", "a.b=c", "--git-dir=x", "clean", "-x", "ab", "--", "", strings.Repeat("long", 12)}
	r := rand.New(rand.NewPCG(9, 9))
	draw := func(program string, most int) []string {
		out := []string{program}
		for range r.IntN(most) {
			out = append(out, words[r.IntN(len(words))])
		}
		return out
	}
	hits := 0
	for i := range raced.Of(20_000) {
		program := []string{"git", "make", "npm", "chmod"}[r.IntN(4)]
		all := &rejectRules{by: map[string][]compiled{}}
		var rules []compiled
		for k := range 6 {
			list := slices.DeleteFunc(draw(program, 4), func(w string) bool { return w == "" })
			rules = append(rules, compiled{Rule: Rule{ID: fmt.Sprint(k)}, words: list})
			all.add(rules[k])
		}
		c := shell.Command{Words: draw(program, []int{8, 80}[i%2])}
		c.Fixed = make([]bool, len(c.Words))
		for k := range c.Fixed {
			c.Fixed[k] = k == 0 || i%3 > 0 || r.IntN(10) > 0
		}
		m := newMatcher(&c)
		var looked []string
		m.lists(all, func(list []compiled) {
			for _, one := range list {
				looked = append(looked, one.ID)
			}
		})
		for _, one := range rules {
			m.steps = 0
			answer := m.match(1, one.words[1:])
			if answer == yes {
				hits++
			}
			if answer == yes && !slices.Contains(looked, one.ID) || answer == maybe && !m.known && !slices.Contains(looked, one.ID) {
				t.Fatalf("%q is about %q (%d), but isn't looked at", one.words, c.Words, answer)
			}
		}
	}
	if hits < raced.Of(1000) {
		t.Errorf("only %d rules were about a command", hits)
	}
}
