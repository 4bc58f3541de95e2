package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var testNow = time.Date(2026, 11, 25, 15, 0, 0, 0, time.UTC)

func matches(t *testing.T, query, text string) bool {
	t.Helper()
	q := Parse(query, testNow)
	_, ok := q.Match(text)
	if ok && !needsMet(&q, text) {
		t.Errorf("%q is found in %q, but the index does not lead to it: %v", query, text, q.Terms)
	}
	return ok
}

// needsMet reports whether the index finds a text for a query.
func needsMet(q *Query, text string) bool {
	var tokens Tokens
	tokens.Add(text)
	for _, term := range q.Terms {
		for _, need := range term.Needs {
			met := slices.ContainsFunc(tokens.List(), func(token string) bool {
				return token == need.Token || need.Prefix && strings.HasPrefix(token, need.Token)
			}) || need.Inside && slices.ContainsFunc(tokens.Spans(), func(word string) bool { return strings.Contains(word, need.Token) })
			if !met {
				return false
			}
		}
	}
	return true
}

func TestQueriesFindTexts(t *testing.T) {
	for _, c := range []struct {
		query, text string
		want        bool
	}{
		{"hello", "Hello, world", true},
		{"hello world", "The world says hello", true},
		{"hello mars", "hello world", false},
		{"wor", "hello world", true},
		{"wor hello", "hello world", false}, // only the last word may be unfinished
		{"cafe", "Café", true},
		{"CAFÉ", "cafe\u0301s", true},
		{"strasse", "Die Straße", true},
		{"ΣΑΣ", "Σας", true},
		{"σας", "ΣΑΣ", true},
		{"straße", "STRASSE", true},
		{`"hello world"`, "hello\n  world", true},
		{`"hello world"`, "hello, world", false},
		{`"ello world"`, "hello world", false},
		{`"hello wor"`, "hello world", true},
		{"can't", "It can’t be", true},
		{"don’t", "I don't know", true},
		{"“hello world”", "hello world", true},
		{"„hello world“", "hello, world", false},
		{"“hello wor", "hello world", true},
		{"-“hello world” say", "say hello world", false},
		{"hello\u200b \ufeffworld\u202c", "hello world", true},
		{"hello -world", "hello world", false},
		{"hello -mars", "hello world", true},
		{`hello -"big world"`, "hello world, big", true},
		{"useEffect(", "  useEffect(() => {", true},
		{"useEffect(", "useEffect is called", false},
		{"Effect(", "useEffect(()", true},
		{"ffect(", "useEffect(()", false},
		{"effect", "useEffect", true},
		{"a.b.c", "x = a.b.c;", true},
		{"a.b.c", "x = a.b.d; c", false},
		{"--flag", "run --flag now", true},
		{"--flag", "run -flag now", false},
		{"C++", "written in c++ today", true},
		{"数据库", "连接到数据库失败", true},
		{"数据库", "数据和仓库", false},
		{"库", "连接到数据库失败", true},
		{"失败", "连接到数据库失败", true},
		{"ファイル", "このファイルを読む", true},
		{"한국", "나는 한국어를", true},
		{"React组件", "一个React组件里", true},
		{"verbindung", "Die Datenbankverbindung steht", true},
		{"schifffahrt", "Donaudampfschifffahrtsgesellschaft", true},
		{"bindung", "Verbindungsaufbau", true},
		{"http", "XMLHttpRequest", true},
		{"request", "XMLHttpRequest", true},
		{"src/apples.js", "Read src/apples.js now", true},
		{"e0b1", "the hash e0b1c2", true},
		{"", "anything", true},
		{"👍", "I like it 👍", true},
		{"👍", "I like it", false},
		{"👍 like", "I like it", true},
		{"→", "a → b", true},
		{"❤️", "❤", true},
	} {
		if got := matches(t, c.query, c.text); got != c.want {
			t.Errorf("%q in %q: %v, want %v", c.query, c.text, got, c.want)
		}
	}
}

func TestFiltersAreRead(t *testing.T) {
	day := func(y, m, d int) int64 { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).UnixMilli() }
	for _, c := range []struct {
		query string
		want  string
	}{
		{"kind:call has:error x", fmt.Sprint(Filters{Kind: []Kind{KindCall}, Error: true})},
		{"kind:tools kind:Prompt", fmt.Sprint(Filters{Kind: []Kind{KindCall, KindPrompt}})},
		{`space:"my shop" agent:claude`, fmt.Sprint(Filters{Space: []string{"my shop"}, Agent: []string{"claude"}})},
		{"file:src/a.go before:2026-11-01", fmt.Sprint(Filters{File: []string{"src/a.go"}, Before: day(2026, 11, 1)})},
		{"after:7d", fmt.Sprint(Filters{After: day(2026, 11, 18)})},
		{"before:1970", fmt.Sprint(Filters{Before: 1})},
		{"after:yesterday before:today", fmt.Sprint(Filters{After: day(2026, 11, 24), Before: day(2026, 11, 25)})},
	} {
		if q := Parse(c.query, testNow); fmt.Sprint(q.Filters) != c.want || len(q.Unknown) > 0 {
			t.Errorf("%q: %v %v, want %s", c.query, q.Filters, q.Unknown, c.want)
		}
	}
	for _, c := range []struct{ query, want string }{
		{"-kind:call -has:error x", fmt.Sprint(Filters{Kind: []Kind{KindCall}, Error: true})},
		{`-space:"my shop" -AGENT:claude -file:a.go`, fmt.Sprint(Filters{Space: []string{"my shop"}, Agent: []string{"claude"}, File: []string{"a.go"}})},
		{"-kind: -word --kind:call - kind:call", fmt.Sprint(Filters{})},
	} {
		if q := Parse(c.query, testNow); fmt.Sprint(q.Without) != c.want || len(q.Unknown) > 0 {
			t.Errorf("%q: %v %v, want %s", c.query, q.Without, q.Unknown, c.want)
		}
	}
	if q := Parse("-before:2026-11-01 -after:2026-11-20", testNow); q.Filters.After != day(2026, 11, 1) || q.Filters.Before != day(2026, 11, 20) || !q.Without.None() {
		t.Errorf("%+v", q)
	}
	if q := Parse("-kind:nonsense word", testNow); len(q.Unknown) != 1 || q.Unknown[0] != "kind:nonsense" || len(q.Not) != 0 {
		t.Errorf("%+v", q)
	}
	if q := Parse("kind:nonsense before:someday word", testNow); len(q.Unknown) != 2 || len(q.Terms) != 1 {
		t.Errorf("unknown filters: %v, terms %v", q.Unknown, q.Terms)
	}
	if q := Parse("http://example.org:80/x std::vector", testNow); len(q.Terms) != 2 || !q.Terms[0].Literal {
		t.Errorf("addresses are words: %+v", q)
	}
}

// Any text is a valid query.
func TestHostileQueriesAreRead(t *testing.T) {
	for _, query := range []string{
		"", " ", `"`, `""`, `"""`, "-", "--", "- -", `-"`, "AND OR NOT", "NEAR(a b)", "a*", "^a", "{}", "(", ")", "->", ":", "kind:", "file:\"", "-kind:call",
		strings.Repeat("a", 10_000), strings.Repeat("a ", 5_000), strings.Repeat(`"`, 10_000), strings.Repeat("数", 10_000), "\x00\xff\xfe", "a\u0301\u0301", "\u202e",
	} {
		q := Parse(query, testNow)
		q.Match("some text")
		if len(q.Terms) > maxTerms {
			t.Errorf("%.20q: %d terms", query, len(q.Terms))
		}
	}
	if q := Parse("-> --", testNow); !q.Empty() {
		t.Error("a query of signs has something to look for")
	}
}

// alphabet has the pieces of random texts.
var alphabet = []string{
	"a", "b", "ab", "Ab", "aB", "error", "Error", "useEffect", "XMLHttp", "verbindung", "Datenbank", "é", "e\u0301", "ß", "ss", "İ", "ǅ", "ﬁ", "数", "据", "库", "の", "ー", "한", "ไ", "ท",
	" ", "  ", "\n", ".", "(", "--", "_", "-", "/", "\"", "1", "42", "²", "Ａ", "\u0301", "\u200d", "\xff", "क", "ि", "ä", "Ä", "longerword", "verylongwordindeed",
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n) + 1 {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// The index finds every text that a scan finds, and the spans are within the text.
func TestIndexLeadsToWhatIsFound(t *testing.T) {
	found := 0
	for seed := range uint64(60_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		text := randomText(r, 30)
		query := randomText(r, 4)
		if r.IntN(2) == 0 { // a part of the text
			from := r.IntN(len(text))
			query = text[from : from+r.IntN(len(text)-from)+1]
			if r.IntN(2) == 0 {
				query = `"` + strings.ReplaceAll(query, `"`, "") + `"`
			}
		}
		q := Parse(query, testNow)
		places, ok := q.Match(text)
		if !ok {
			continue
		}
		found++
		if !needsMet(&q, text) {
			t.Fatalf("seed %d: %q is found in %q, but the index does not lead to it: %+v", seed, query, text, q.Terms)
		}
		for _, s := range places[0].Spans {
			if s.Start < 0 || s.End > len(text) || s.Start > s.End {
				t.Fatalf("seed %d: %q in %q: place %v", seed, query, text, s)
			}
		}
		shown := ""
		for _, p := range Snippet(text, places[0].Spans, 20) {
			shown += p.Text
		}
		if len(shown) > 200 {
			t.Fatalf("seed %d: a snippet of %d bytes", seed, len(shown))
		}
	}
	if found < 5_000 {
		t.Errorf("only %d queries were found", found)
	}
}

func TestSnippetShowsTheBestPlace(t *testing.T) {
	text := strings.Repeat("filler words ", 50) + "the needle is\nhere " + strings.Repeat("more words ", 50)
	q := Parse("needle here", testNow)
	found, ok := q.Match(text)
	if !ok {
		t.Fatal("not found")
	}
	got := ""
	for _, p := range Snippet(text, found[0].Spans, 80) {
		if p.Hit {
			got += "[" + p.Text + "]"
		} else {
			got += p.Text
		}
	}
	if want := "… filler words the [needle] is [here] more words more words more words more words…"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`kind:call "a b" -c d*`, "a b d")
	f.Add("数据 ß --flag", "x数据库 --flagged STRASSE")
	f.Fuzz(func(t *testing.T, query, text string) {
		q := Parse(query, testNow)
		if _, ok := q.Match(text); ok && !needsMet(&q, text) {
			t.Errorf("%q is found in %q, but the index does not lead to it", query, text)
		}
	})
}
