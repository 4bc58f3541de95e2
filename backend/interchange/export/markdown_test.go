package export

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	rendered "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"weft/backend/base/raced"

	"weft/backend/conversation/transcript"
)

func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// github renders Markdown as GitHub does before sanitizing, with all HTML.
var github = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(rendered.WithUnsafe()))

// harmlessMarkdown fails if a file has HTML other than the folds of this package, if it loads something, or if a
// message is misplaced.
func harmlessMarkdown(t *testing.T, md []byte, about string) {
	t.Helper()
	if bytes.ContainsAny(md, "\r\x00") { // some parsers end a line there
		t.Fatalf("%s: the file has line ends of another kind", about)
	}
	var page bytes.Buffer
	if err := github.Convert(md, &page); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	var headings, markers []string
	for n := range root.Descendants() {
		if n.Type == html.CommentNode || n.Type == html.DoctypeNode {
			t.Fatalf("%s: the file has the comment %.60q", about, n.Data)
		}
		if n.Type == html.TextNode && n.Data == marker && n.Parent.DataAtom == atom.P {
			markers = append(markers, n.Parent.Parent.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains(strings.Fields("script style iframe svg object link base form plaintext math div section"), n.Data) {
			t.Fatalf("%s: the file has <%s>", about, n.Data)
		}
		if n.Data == "h1" || n.Data == "h2" {
			headings = append(headings, n.Data)
		}
		if n.Data == "details" && n.Parent.DataAtom != atom.Body {
			t.Fatalf("%s: a fold is in <%s>", about, n.Parent.Data)
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style" && !strings.HasPrefix(a.Val, "text-align"):
				t.Fatalf("%s: the file has <%s %s=%q>", about, n.Data, a.Key, a.Val)
			case a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/png;base64,"):
				t.Fatalf("%s: the file loads %q", about, a.Val)
			}
		}
	}
	if got := strings.Join(headings, " "); got != "h1 h2 h2 h2 h2" {
		t.Fatalf("%s: the headings are %s", about, got)
	}
	// The last answer, the prompt after it and the text that follows are in the same places as without the texts before
	// them.
	if got := strings.Join(markers, " "); !strings.HasSuffix(got, "blockquote body") {
		t.Fatalf("%s: what follows is in %q", about, got)
	}
}

// Contained text doesn't affect the parser: a paragraph after it stays a paragraph and defines nothing.
func FuzzContained(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		out := contained(text)
		if !ends([]byte(out)) {
			t.Fatalf("%q gives %q", text, out)
		}
		for _, md := range []string{out, containedQuote(text), "- list\n\n" + out, "10. list\n\n" + out} {
			if found := harm(t, md); found != "" {
				t.Fatalf("%q gives %q, which has %s", text, md, found)
			}
		}
	})
}

// harm returns the first thing in Markdown that must not be in an agent's text, or "".
func harm(t *testing.T, md string) string {
	t.Helper()
	var page bytes.Buffer
	if err := github.Convert([]byte(md), &page); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.CommentNode, n.DataAtom == atom.Script, n.DataAtom == atom.Img, n.DataAtom == atom.Details, n.DataAtom == atom.H1, n.DataAtom == atom.H2, n.DataAtom == atom.Iframe, n.DataAtom == atom.B:
			return n.Data
		}
		for _, a := range n.Attr {
			scheme, _, full := strings.Cut(strings.ToLower(strings.TrimSpace(a.Val)), ":")
			if a.Key == "href" && full && slices.Contains([]string{"javascript", "vbscript", "data"}, scheme) {
				return "a href=" + a.Val
			}
		}
	}
	return ""
}

// A quote shifts tabs, and a list includes indented text after it: neither turns code into markup.
func TestContainedTextStaysWithinQuotesAndBehindLists(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i := range uint64(max(200, raced.Of(4000))) {
		r := rand.New(rand.NewPCG(seed, i))
		text := randomHostile(r)
		if i < uint64(len(hostile)) {
			text = hostile[i]
		}
		for _, md := range []string{containedQuote(text), containedQuote(hardBreaks(text)), "- list\n\n" + contained(text), "10. list\n\n" + contained(text)} {
			if found := harm(t, md); found != "" {
				t.Fatalf("seed %d, case %d: %q gives %q, which has <%s>", seed, i, text, md, found)
			}
		}
	}
	makefile := "```\nall:\n\tgo build\n```"
	if got := containedQuote(makefile); got != quoted(makefile) {
		t.Errorf("%q", got)
	}
}

func TestPlainLinesAreParagraphs(t *testing.T) {
	for _, line := range []string{"- a", "+ a", "* a", "1. a", "123) a", "===", "---", "# a", "> a", "a.b 1.5", "`a`"} {
		var page bytes.Buffer
		if err := github.Convert([]byte("> "+plain(line)+"\n"), &page); err != nil {
			t.Fatal(err)
		}
		if got := html.UnescapeString(page.String()); got != "<blockquote>\n<p>"+line+"</p>\n</blockquote>\n" {
			t.Errorf("%q is %q", line, got)
		}
	}
}

func TestContainedKeepsWhatIsHarmless(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain *text* with `<b>` and a [link](https://a.example)", "plain *text* with `<b>` and a [link](https://a.example)"},
		{"```html\n<b>x</b>\n```", "```html\n<b>x</b>\n```"},
		{"```\nopen", "```\nopen\n```"},
		{"a <b>x</b>", "a &lt;b>x&lt;/b>"},
		{"<https://a.example>", "<https://a.example>"},
		{"# Title", "### Title"},
		{"Title\n===", "### Title"},
		{"### Deep", "### Deep"},
		{"![alt](https://a.example/x.png)", "[alt](https://a.example/x.png)"},
		{"[a]: https://a.example", "\\[a]: https://a.example"},
		{"`[a]: x`", "`[a]: x`"},
		{"[a](main.go) [b](#x) [c](mailto:a@b.example)", "[a](main.go) [b](#x) [c](mailto:a@b.example)"},
		{"[a](javascript:x)", "[a]\\(javascript:x)"},
		{"a == b\n\n==x==", "a == b\n\n\\==x=="},
		{"1. Add:\n\n   ```html\n   <b>\n   ```", "1. Add:\n\n   ```html\n   <b>\n   ```"},
		{"| a | b |\n| - | - |\n| 1 | 2 |", "| a | b |\n| - | - |\n| 1 | 2 |"},
	} {
		if got := contained(c.in); got != c.want {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
	}
}

func TestFencedCannotBeClosed(t *testing.T) {
	seed := rand.Uint64()
	for i := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, i))
		text := randomHostile(r) + strings.Repeat("`", r.IntN(12)) + "\n" + randomHostile(r)
		var page bytes.Buffer
		if err := github.Convert([]byte(fenced(text, "")+"\n\nafter"), &page); err != nil {
			t.Fatal(err)
		}
		if got := page.String(); strings.Count(got, "<pre>") != 1 || !strings.HasSuffix(got, "</code></pre>\n<p>after</p>\n") {
			t.Fatalf("seed %d, case %d: %s", seed, i, got)
		}
	}
}

// Texts that nobody writes must not be slow: the parser takes quadratic time for these.
func TestCostlyTextsAreShownAsTheyAre(t *testing.T) {
	for _, unit := range []string{"_*", "**_*", "[a](", "](", "1. ", "- ", "> ", "![[", "`a``", "<a", "~~a"} {
		if text := strings.Repeat(unit, 100_000); !costly([]byte(text)) {
			t.Errorf("%q isn't taken for costly", unit)
		} else if got := contained(text); !strings.HasPrefix(got, "```") {
			t.Errorf("%q is parsed", unit)
		}
	}
	deep := ""
	for i := range 200 {
		deep += strings.Repeat("  ", i) + "- a\n"
	}
	if !costly([]byte(deep)) {
		t.Error("a deep list isn't taken for costly")
	}
	for _, usual := range []string{strings.Repeat("A *word* and `code`.\n\n", 10_000), strings.Repeat("- item\n  - below\n\n", 5000), strings.Repeat("-", 500) + "\n"} {
		if costly([]byte(usual)) {
			t.Errorf("%.20q is taken for costly", usual)
		}
	}
}

func decoded(s string) string {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return ""
	}
	return string(b)
}

func TestCallLineSaysOnceWhatTheTitleSays(t *testing.T) {
	for _, c := range []struct{ kind, title, summary, want string }{
		{"read", "read", "Read", "✓ read"},
		{"read", "Read main.go", "Read", "✓ Read main.go"},
		{"read", "Read main.go", "Read 3 lines", "✓ Read main.go · Read 3 lines"},
		{"read", "README.md", "Read", "✓ README.md · Read"},
		{"read", "Read", "", "✓ Read"},
		{"execute", "Version", "version", "✓ Version · version"},
	} {
		if got := callLine(&transcript.ToolCall{Kind: c.kind, Title: c.title, Summary: c.summary, Status: transcript.StatusCompleted}); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.title, c.summary, got, c.want)
		}
	}
}

func TestOutputsAreShownAsATerminalShowsThem(t *testing.T) {
	for _, c := range []*transcript.ToolCall{
		{Kind: "execute", Output: jsontext.Value(`"\u001b[31mred\u001b[0m\n10 %\r20 %\ndone\u001b(B"`)},
		{Kind: "read", Output: jsontext.Value(`{"stdout":"\u001b[31mred\u001b[0m\n10 %\r20 %\ndone"}`)},
		{Kind: "other", Content: []transcript.Content{{Type: "text", Text: "\x1b]0;title\ared\n10 %\x1b[2K\x1b[1G20 %\ndone"}}},
	} {
		list, _ := shownOf(t, c)
		if len(list) != 1 || list[0].text != "red\n20 %\ndone" {
			t.Errorf("%s: %+v", c.Kind, list)
		}
	}
}
