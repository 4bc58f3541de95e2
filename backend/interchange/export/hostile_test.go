package export

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"weft/backend/base/raced"
	"weft/backend/conversation/transcript"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// hostile are texts that try to break out of their place, to run something or to load something.
var hostile = []string{
	"<script>alert(1)</script>", "</details></section></main><h1>You</h1>", "<img src=x onerror=alert(1)>", "<!--", "]]>", "<plaintext>", "<style>*{display:none}",
	"```\nopen code", "~~~~js\nopen", "> quote\n```\nin it", "- item\n  ```\n  in it", "    indented\n", "``````\n```\n", "![x](https://evil.example/pixel.png)",
	"![x][r]\n\n[r]: https://evil.example/p.png", "[main.go]: javascript:alert(1)", "- [main.go]: https://evil.example", "[^1]: note", "[link](javascript:alert(1))",
	"[link](data:text/html,<script>alert(1)</script>)", "<https://ok.example/>", "<javascript:alert(1)>", "# You\n\nI agree.", "You\n===\n\nMore", "Guide\n---",
	"<details><summary>x", "</summary></details>", "\x00\x01\x1b[31mred", "\u202egnp.exe", "a\r\nb\rc", "| a | b |\n| - | - |\n| <b>x</b> | `y |", strings.Repeat("[", 3000), strings.Repeat("> ", 500) + "deep",
	strings.Repeat("*a ", 2000), "&lt;script&gt;", "<a href=\"javascript:alert(1)\">x</a>", "<svg/onload=alert(1)>", "<iframe src=https://evil.example>", "<meta http-equiv=refresh content=0>",
	"<base href=https://evil.example>", "<link rel=stylesheet href=https://evil.example/x.css>", "\"><img src=x>", "' onmouseover='x", "<math><mtext></form><form><mglyph><style></math><img src onerror=x>",
	"<?php ?>", "<![CDATA[", "text\n\n<div>\n\n```", "1) a\n\n   ~~~\n   b", "\\`\\`\\`", "``` `` ` `<b>`", "[a]: <b>\n'title\nover lines'", "[a\nb]: https://evil.example",
	"\t<img src=https://evil.example/x.png>", "\t![x](https://evil.example/x.png)", "- \t<b>x</b>", "10. ```\n\t<img src=https://evil.example>\n    ```", ">\t\t</details>", "- item", "1. item", "[a](java&#115;cript:alert(1))", "[a](<javascript\\:alert(1)>)", "[a](\nvbscript:x)", "> [a](\n> vbscript:x)", "> [a](\n>\tjavascript:x)", "===", "`a\n<b>x</b>`", "    <img src=https://evil.example>",
}

func randomHostile(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		b.WriteString(hostile[r.IntN(len(hostile))])
		b.WriteString([]string{"", " ", "\n", "\n\n", "\n> ", "\n- ", "\n    ", "\n\t", "\n\n\t", "\t"}[r.IntN(10)])
	}
	return b.String()
}

const marker = "MARKER"

// picture is a small image.
func picture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 80, 40))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// show writes one of each kind of content, with texts from words.
func show(t testing.TB, st *store.Store, words func() string) *talk {
	t.Helper()
	k := begin(t, st, spaces.Space{Title: words(), Folder: "/home/me/" + words(), AgentID: "guide", AgentName: "Guide"})
	k.ask(words(), transcript.Content{Type: "resource_link", Name: words(), Path: "a.go"})
	k.think(words())
	k.now += 3000
	k.flush()
	k.say(words())
	for i := range 4 {
		status, kind, title, summary := []transcript.Status{"completed", "completed", "failed", "completed"}[i], []string{"read", "edit", "execute", "search"}[i], words(), words()
		p := &transcript.ToolPatch{ID: fmt.Sprint("t", i), Announced: true, Title: &title, Kind: &kind, Status: &status, Summary: &summary}
		in, _ := jsontext.AppendQuote([]byte(`{"command":`), words())
		p.Input = append(in, '}')
		switch i {
		case 0, 3:
			p.Content = &[]transcript.Content{{Type: "text", Text: words()}, {Type: "resource", Name: words(), Text: words()}}
		case 1:
			p.Content = &[]transcript.Content{{Type: "diff", Path: words(), OldText: words() + "\nold\n", NewText: words() + "\nnew\n"}}
		case 2:
			p.OutputDelta = words()
			why := words()
			p.Error = &why
		}
		k.tool(p)
	}
	k.say(words())
	kind, done := transcript.KindDisplay, transcript.StatusCompleted
	quote := func(s string) string { q, _ := jsontext.AppendQuote(nil, s); return string(q) }
	k.tool(&transcript.ToolPatch{
		ID: "d", Announced: true, Kind: &kind, Status: &done, Input: jsontext.Value(`{"title":` + quote(words()) + `,"description":` + quote(words()) + `,"columns":[{"key":"a","label":` + quote(words()) + `}],"rows":[{"a":` + quote(words()) + `}]}`),
		Output: jsontext.Value(`{"state":"answered","answer":{"choice":` + quote(words()) + `}}`),
	})
	for i, kindOf := range []string{"bar", "scatter", "pie", words()} {
		k.tool(&transcript.ToolPatch{
			ID: fmt.Sprint("chart", i), Announced: true, Kind: &kind, Status: &done, Input: jsontext.Value(`{"title":` + quote(words()) + `,"type":` + quote(kindOf) + `,"x":` + quote(words()) + `,"y":` + quote(words()) +
				`,"labels":[` + quote(words()) + `,` + quote(words()) + `],"series":[{"name":` + quote(words()) + `,"data":[1,2]},{"name":` + quote(words()) + `,"data":[{"x":` + quote(words()) + `,"y":3}]}]}`),
		})
	}
	k.tool(&transcript.ToolPatch{
		ID: "form", Announced: true, Kind: &kind, Status: &done, Input: jsontext.Value(`{"schema":{"properties":{` + quote(words()) + `:{"title":` + quote(words()) + `}}},"values":{"a":` + quote(words()) + `}}`),
		Output: jsontext.Value(`{"state":"answered","answer":{"a":` + quote(words()) + `}}`),
	})
	k.do(&transcript.Update{Kind: transcript.UpdateText, Block: &transcript.Content{Type: "image", Mime: "image/png", Name: words(), Text: base64Of(picture(t))}})
	k.do(&transcript.Update{Kind: transcript.UpdateText, Block: &transcript.Content{Type: "image", Mime: "image/svg+xml", Text: base64Of([]byte("<svg onload=alert(1)>"))}})
	k.say(words() + "\n\n" + marker)
	k.turns.Current().Fail(transcript.Failure{Code: "x", Message: words(), Detail: words()}, k.now)
	k.flush()
	k.ask(marker)
	k.say(marker)
	k.done("end_turn")
	return k
}

// nodes returns the elements of a page.
func nodes(t *testing.T, page []byte) (list []*html.Node) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		list = append(list, n)
	}
	return list
}

var (
	allowedTags = strings.Fields("html head meta style title body main h1 h2 h3 p div section span time details summary i pre code table thead tbody tr th td img footer ul ol li a em strong del blockquote hr br svg path text dl dt dd")
	classForm   = regexp.MustCompile(`^[a-z0-9 ]*$`)
	pathForm    = regexp.MustCompile(`^M[-0-9. MLHVAZmlhvaz]*$`)
	placeForm   = regexp.MustCompile(`^-?[0-9]{1,3}(\.[0-9])?$`)
	viewForm    = regexp.MustCompile(`^-?[0-9]+ -?[0-9]+ [0-9]+ [0-9]+$`)
)

// harmlessNode fails if a page has an element or an attribute that this package does not write.
func harmlessNode(t *testing.T, n *html.Node, about string) {
	t.Helper()
	if n.Type != html.ElementNode {
		return
	}
	if !slices.Contains(allowedTags, n.Data) {
		t.Fatalf("%s: the page has <%s>", about, n.Data)
	}
	for _, a := range n.Attr {
		switch {
		case a.Key == "href" && (strings.HasPrefix(a.Val, "https://") || strings.HasPrefix(a.Val, "http://") || strings.HasPrefix(a.Val, "mailto:")):
		case a.Key == "src" && n.DataAtom == atom.Img && strings.HasPrefix(a.Val, "data:image/png;base64,"):
		case a.Key == "class" && classForm.MatchString(a.Val):
		case n.Namespace == "svg" && (a.Key == "viewBox" && viewForm.MatchString(a.Val) || a.Key == "d" && pathForm.MatchString(a.Val) || (a.Key == "x" || a.Key == "y") && placeForm.MatchString(a.Val) || a.Key == "role" && a.Val == "img"):
		case slices.Contains([]string{"lang", "charset", "http-equiv", "content", "name", "alt", "datetime", "aria-hidden", "rel", "scope", "align", "start", "aria-label", "tabindex", "open"}, a.Key):
		default:
			t.Fatalf("%s: the page has <%s %s=%q>", about, n.Data, a.Key, a.Val)
		}
	}
}

// harmlessPage fails if a page has anything that this package does not write.
func harmlessPage(t *testing.T, page []byte, about string) {
	t.Helper()
	sections := 0
	for _, n := range nodes(t, page) {
		if n.Type == html.CommentNode {
			t.Fatalf("%s: the page has a comment", about)
		}
		if n.Type != html.ElementNode {
			continue
		}
		harmlessNode(t, n, about)
		if n.DataAtom == atom.Section {
			sections++
			if n.Parent.DataAtom != atom.Main {
				t.Fatalf("%s: a message is in <%s>", about, n.Parent.Data)
			}
		}
	}
	if sections != 4 {
		t.Fatalf("%s: %d messages, want 4", about, sections)
	}
}

func TestHostileTextIsOnlyText(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	st := openStore(t, t.TempDir())
	for i := range uint64(max(2, raced.Of(25))) {
		r := rand.New(rand.NewPCG(seed, i))
		k := show(t, st, func() string { return randomHostile(r) })
		about := fmt.Sprintf("seed %d, case %d", seed, i)
		page, _ := exported(t, st, Options{}, Request{Format: HTML, SpaceID: k.id})
		harmlessPage(t, page, about)
		md, _ := exported(t, st, Options{}, Request{Format: Markdown, SpaceID: k.id})
		harmlessMarkdown(t, md, about)
	}
	every := len(hostile) / max(1, raced.Of(len(hostile)))
	for i, text := range hostile {
		if i%every != 0 {
			continue
		}
		k := show(t, st, func() string { return text })
		about := fmt.Sprintf("text %d, %.40q", i, text)
		page, _ := exported(t, st, Options{}, Request{Format: HTML, SpaceID: k.id})
		harmlessPage(t, page, about)
		md, _ := exported(t, st, Options{}, Request{Format: Markdown, SpaceID: k.id})
		harmlessMarkdown(t, md, about)
	}
}

// TestShowcase writes the files of one conversation for manual inspection.
func TestShowcase(t *testing.T) {
	dir := os.Getenv("WEFT_SHOWCASE")
	if dir == "" {
		t.Skip("only with WEFT_SHOWCASE=DIR")
	}
	texts := []string{
		"Fix the flaky cart test", "shop", "The cart test fails now and then.\nCan you find out why?", "cart.md", "Maybe a race: the total is read too early.",
		"I'll look at the test first. It uses `total()` before the **promise** settles:\n\n1. read\n2. fix\n\n```go\nfunc TestCart(t *testing.T) {\n\tgot := total()\n}\n```\n\nSee [the docs](https://example.com).\n\n| a | b |\n| - | - |\n| 1 | 2 |",
		"Read cart.go", "Read 120 lines", "cat cart.go", "package shop\n\nfunc total() int { return 0 }",
	}
	n := 0
	st := openStore(t, t.TempDir())
	k := show(t, st, func() string { n++; return texts[(n-1)%len(texts)] })
	for _, f := range Formats() {
		file, _ := exported(t, st, Options{}, Request{Format: f, SpaceID: k.id})
		if err := os.WriteFile(filepath.Join(dir, "show."+string(f)), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
