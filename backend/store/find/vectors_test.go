package find

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/conversation/search"
)

// clock is the time at which queries are parsed.
var clock = time.Unix(0, 0)

var update = flag.Bool("update", false, "write the test data that the frontend is held to")

// vector is a text with the matches of a query: byte offsets, or only the number of matches in the drawn text.
type vector struct {
	Text  string   `json:"text"`
	Query string   `json:"query"`
	At    [][2]int `json:"at,omitempty"`
	Count int      `json:"count"`
}

// letters are characters of many scripts that fold to one character, to several, to none and to themselves.
var letters = strings.Split("a A á Ä ß ẞ s S ss æ Æ ae œ ø ł đ þ ı İ i ŉ n ﬁ f ﬃ ſ ς Σ σ K k ½ 1 2 ² Ｆ ㎏ ™ № Ⓐ ⓐ 漢 字 か が ｶ ﾞ ー 가 각 ั ก Ж й и ё ά α ὼ ω ﷺ ש שָ م مُ ن हि ह क क् \u2010 \u2011 – — − \u00a0 \u202f \u3000 … \u00ad \u200b ’ “ 😀 👩🏽 \u0301 \u0308 \u3099 \u200d - _ ( ) . 𝒜 Ǆ dz ÿ Ÿ", " ")

func random(r *rand.Rand, alphabet []string, n int) string {
	var b strings.Builder
	for range 1 + r.IntN(n) {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

func matchesOf(text, query string) (at [][2]int) {
	p := newPattern(query)
	if p == nil {
		return nil
	}
	c := newCollector(p, 0, 0, 1000)
	c.feed([]byte(text))
	for _, m := range c.close() {
		at = append(at, [2]int{int(m.start), int(m.end)})
	}
	return at
}

func drawnCount(text, query string) int {
	pattern := newPattern(query)
	if pattern == nil {
		return 0
	}
	p := prose{c: newCollector(pattern, 10, 0, 1000)}
	p.feed([]byte(text))
	n := len(p.close().close())
	if n > 0 && !pattern.mayBeDrawn([]byte(text)) {
		return -1
	}
	return n
}

// heldTo compares vectors with those in a file that the frontend's tests also use.
func heldTo(t *testing.T, file string, list []vector) {
	t.Helper()
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	for i := range list {
		if err := enc.Encode(list[i]); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(file, raw.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(have, raw.Bytes()) {
		return
	}
	want, got := strings.Split(string(have), "\n"), strings.Split(raw.String(), "\n")
	for i := range got {
		if i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s:%d differs. If that is wanted: go test ./backend/store/find -args -update\n%s", file, i+1, got[i])
		}
	}
	t.Fatalf("%s has more lines", file)
}

func TestMatchesAreThoseOfTheFrontend(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	var list []vector
	for len(list) < 700 {
		few := []string{letters[r.IntN(len(letters))], letters[r.IntN(len(letters))], letters[r.IntN(len(letters))]}
		v := vector{Text: random(r, letters, 12), Query: random(r, letters, 2)}
		if r.IntN(2) == 0 {
			v.Text, v.Query = random(r, few, 12), random(r, few, 3)
		}
		v.At = matchesOf(v.Text, v.Query)
		v.Count = len(v.At)
		list = append(list, v)
	}
	heldTo(t, "testdata/matches.jsonl", list)
}

// TestHitsOfTheSearchAreFound compares with the search across all conversations: every one-word hit of that search is
// found here.
func TestHitsOfTheSearchAreFound(t *testing.T) {
	found := 0
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 2))
		few := []string{letters[r.IntN(len(letters))], letters[r.IntN(len(letters))], "a", "s", " "}
		text, query := random(r, few, 14), random(r, few, 5)
		if strings.ContainsAny(Folded(query), ` "`) || strings.HasPrefix(query, "-") {
			continue
		}
		q := search.Parse(query, clock)
		if len(q.Terms) != 1 || q.Empty() {
			continue
		}
		places, ok := q.Match(text)
		if !ok {
			continue
		}
		found++
		at := matchesOf(text, query)
		if len(at) == 0 {
			t.Fatalf("seed %d: the search finds %q in %q, but it isn't found", seed, query, text)
		}
		for _, span := range places[0].Spans {
			if !slices.ContainsFunc(at, func(m [2]int) bool { return m[0] < span.End && span.Start < m[1] }) {
				t.Fatalf("seed %d: %q in %q at %v is found at %v alone", seed, query, text, span, at)
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d texts with a match", found)
	}
}

// handmade are texts that show what is drawn, with a query and its number of matches.
var handmade = []vector{
	{Text: "Some **app**les, *a*pples, __ap__ples and ap`p`les", Query: "apples", Count: 3},
	{Text: "snake_case_name and _snake_case", Query: "snake_case", Count: 2},
	{Text: "2 * 3 * 4 and 2*3*4", Query: "*", Count: 2},
	{Text: "***both*** and **a *b* c**", Query: "a b c", Count: 1},
	{Text: "a ~~go~~ne ~x~", Query: "gone ~x~", Count: 1},
	{Text: "\\*not\\* bold, a\\_b, C:\\dir", Query: "*not* bold, a_b, c:\\dir", Count: 1},
	{Text: "`**code**` and ``a`b``", Query: "**code** and a`b", Count: 1},
	{Text: "a `open and **open", Query: "a `open and **open", Count: 1},
	{Text: "one\ntwo\n\nthree four", Query: "two three", Count: 0},
	{Text: "one\ntwo  three", Query: "one two", Count: 1},
	{Text: "one  \ntwo", Query: "one two", Count: 0},
	{Text: "- app\n- les\n\n1. ap\n   ples", Query: "apples", Count: 0},
	{Text: "# Head\nline *of* text\n---\n> a quote\n> of `two` lines", Query: "quote of two", Count: 1},
	{Text: "# Head\nline *of* text", Query: "head line", Count: 0},
	{Text: "```js\nlet **a** = `b`;\n```\nafter", Query: "**a**", Count: 1},
	{Text: "    indented **code**", Query: "**code**", Count: 1},
	{Text: "- item\n\n    more **of** it", Query: "more of it", Count: 1},
	{Text: "| a | **b**c |\n| --- | --- |\n| d | e |", Query: "bc", Count: 1},
	{Text: "| a | **b**c |\n| --- | --- |\n| d | e |", Query: "|", Count: 0},
	{Text: "see [the **docs**](https://example.com/_a_) now", Query: "the docs", Count: 1},
	{Text: "[x] and [y][z], a[0](b", Query: "[x] and [y][z], a[0](b", Count: 1},
	{Text: "<https://example.com/a_b_c> x", Query: "a_b_c x", Count: 1},
	{Text: "**Größe** und Gr**öss**e", Query: "grösse", Count: 2},
	{Text: "**中**文", Query: "中文", Count: 1},
	{Text: "GPT\u20115, GPT\u20135 and GPT-5", Query: "gpt-5", Count: 3},
	{Text: "10\u00a0000 und 10\u202f000", Query: "10 000", Count: 2},
	{Text: "wait\u2026 wait...", Query: "wait...", Count: 2},
	{Text: "Donau\u00addampf Don\u00adau", Query: "donau", Count: 2},
	{Text: "AT&amp;T and AT&T, a&nbsp;b &#8230; &hellip; &quot;x&quot;", Query: "at&t", Count: 2},
	{Text: "a&nbsp;b, a &ndash; b, x&hellip;", Query: "a b", Count: 1},
	{Text: "a&nbsp;b, a &ndash; b, x&hellip;", Query: "a - b, x...", Count: 1},
	{Text: "`a &amp; b` a \\&amp; b &amp b &nosuch; &#xZ; &#0;", Query: "&amp;", Count: 2},
	{Text: "```\n&lt;b&gt;\n```\n&lt;b&gt;", Query: "<b>", Count: 1},
	{Text: "| a&#124;b | &lt;c |\n| --- | --- |", Query: "a|b", Count: 1},
	{Text: "**a&shy;b** &#x41;&#66;", Query: "ab", Count: 2},
	{Text: "foo**bar**baz foo__bar__baz", Query: "foobarbaz", Count: 1},
	{Text: "H<sub>2</sub>O and x<SUP >2</sup>", Query: "h2o", Count: 1},
	{Text: "H<sub>2</sub>O and x<SUP >2</sup>", Query: "x2", Count: 1},
	{Text: "H<sub>2</sub>O and x<SUP >2</sup>", Query: "sub", Count: 0},
	{Text: "<kbd>Ctrl</kbd>+<kbd>**K**</kbd>", Query: "ctrl+k", Count: 1},
	{Text: "one<br>two<br/>three<BR />four", Query: "br", Count: 0},
	{Text: "one<br>two<br/>three<BR />four", Query: "onetwo", Count: 0},
	{Text: "<sup>a<sub>b</sub><sup>c</sup></sup>d", Query: "abcd", Count: 1},
	{Text: "<sub>a and b</sub> and `<br>` \\<br>", Query: "<br>", Count: 2},
	{Text: "<sub>a and c</sup>", Query: "<sub>a and c</sup>", Count: 1},
	{Text: "<sub class=\"a\">b</sub>", Query: "<sub class", Count: 1},
	{Text: "| a<br>b | H<sub>2</sub>O |\n| --- | --- |", Query: "h2o", Count: 1},
	{Text: "pass<!-- no -->word <!-- secret -->", Query: "password", Count: 1},
	{Text: "pass<!-- no -->word <!-- secret -->", Query: "secret", Count: 0},
	{Text: "<!-- secret -->\n\n- <!-- secret -->\n- secret", Query: "secret", Count: 1},
	{Text: "<!-- secret\n\n# secret\nmore -->\n\nsecret", Query: "secret", Count: 1},
	{Text: "<!-- a\nsecret --> secret", Query: "secret", Count: 1},
	{Text: "one\n<!-- secret -->\ntwo", Query: "one two", Count: 0},
	{Text: "<!-- secret\n\nsecret", Query: "secret", Count: 2},
	{Text: "`<!-- a -->`\n\n```\n<!-- a -->\n```", Query: "<!-- a -->", Count: 2},
	{Text: "a <!-->secret<!--->secret -->", Query: "secret", Count: 2},
}

// pieces are the parts of random Markdown. They exclude what the frontend draws differently, such as formulas.
var pieces = []string{
	"a", "b", "ab", "A", "ß", "é", "中", " ", " ", " ", ".", ",", "(", ")", "*", "*", "**", "**", "***", "_", "__", "`", "``", "~~", "\\*", "\\`", "\\", "\n", "\n\n", "\n- ", "\n1. ", "\n> ", "\n## ",
	"\n```\n", "a*b*", "**a**b", "`a`b", "1",
	"\u2011", "\u2014", "\u00a0", "\u00ad", "\u2026", "&amp;", "&nbsp;", "&#45;", "&shy;", "&hellip;", "&", "&lt;", "&#x2014;", "&nope;", "\\&",
}

func TestMatchesInProseAreThoseOfTheFrontend(t *testing.T) {
	for _, v := range handmade {
		if got := drawnCount(v.Text, v.Query); got != v.Count {
			t.Errorf("%q in %q: %d, want %d", v.Query, v.Text, got, v.Count)
		}
	}
	r := rand.New(rand.NewPCG(17, 3))
	list := slices.Clone(handmade)
	for len(list) < 900 {
		v := vector{Text: "x" + random(r, pieces, 20), Query: random(r, []string{"a", "b", "ab", "aab", "ba", "*", "`", "_", "中", "a b", "b a", "1", "-", "a-b", "...", "&", "&amp;", "a&b", "<"}, 2)}
		if v.Count = drawnCount(v.Text, v.Query); v.Count < 0 {
			t.Fatalf("%q in %q is taken for absent", v.Query, v.Text)
		}
		if v.Count == 0 && r.IntN(6) > 0 {
			continue // most should have a match
		}
		list = append(list, v)
	}
	heldTo(t, "testdata/prose.jsonl", list)
}

// FuzzProse checks that a search finds the same however a Markdown text is split, and that nothing panics.
func FuzzProse(f *testing.F) {
	for _, v := range handmade {
		f.Add(v.Text, v.Query, uint64(1))
	}
	f.Add(strings.Repeat("*a _b ", 4000), "a", uint64(1))
	f.Add(strings.Repeat("[", 9000), "[", uint64(1))
	f.Fuzz(func(t *testing.T, text, query string, seed uint64) {
		pattern := newPattern(query)
		if pattern == nil {
			return
		}
		r := rand.New(rand.NewPCG(seed, 1))
		whole, cut := prose{c: newCollector(pattern, 9, 0, 50)}, prose{c: newCollector(pattern, 9, 0, 50)}
		whole.feed([]byte(text))
		for rest := text; rest != ""; {
			n := 1 + r.IntN(min(len(rest), 9))
			cut.feed([]byte(rest[:n]))
			rest = rest[n:]
		}
		want, got := whole.close().close(), cut.close().close()
		if !slices.Equal(got, want) {
			t.Fatalf("%q in pieces of %q: %+v, want %+v", query, text, got, want)
		}
		for _, m := range got {
			if m.start < 0 || m.end <= m.start || m.end > int64(len(text)) {
				t.Fatalf("%q in %q: %+v", query, text, m)
			}
		}
		if len(got) > 0 && !pattern.mayBeDrawn([]byte(text)) {
			t.Fatalf("%q in %q is taken for absent", query, text)
		}
	})
}
