package tool

import (
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// markdown converts a page to Markdown: its title, headings, lists, links, tables and code. The result has no HTML,
// only http and https links, and only the descriptions of images.
func markdown(page string, at *url.URL) string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return plainText(page) // nested too deeply
	}
	title := ""
	if n := first(doc, atom.Title); n != nil {
		title = spaceless(textOf(n))
	}
	tidy(doc, at, 0)
	text, err := newConverter().ConvertNode(doc)
	if err != nil {
		return plainText(page)
	}
	if title != "" {
		title = "# " + angles.Replace(title) + "\n\n"
	}
	return strings.TrimSpace(title+string(text)) + "\n"
}

// unread are elements without readable text. The library drops others itself.
var unread = []string{"template", "svg", "math", "object", "embed", "button", "select", "canvas", "video", "audio", "dialog"}

// angles keeps the text of an attribute from looking like an element.
var angles = strings.NewReplacer("<", "&lt;", ">", "&gt;")

// newConverter returns a converter that doesn't escape text, because models read it: a_b stays a_b.
func newConverter() *converter.Converter {
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(
			commonmark.WithLinkEmptyHrefBehavior(commonmark.LinkBehaviorSkip),
			commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip),
			commonmark.WithListEndComment(false),
		),
		table.NewTablePlugin(table.WithNewlineBehavior(table.NewlineBehaviorSkip), table.WithHeaderPromotion(true)),
	))
	for _, name := range unread {
		c.Register.TagType(name, converter.TagTypeRemove, converter.PriorityStandard)
	}
	c.Register.RendererFor("img", converter.TagTypeInline, imageText, converter.PriorityEarly)
	return c
}

// imageText writes the description of an image without its address, which a viewer of the text would load.
func imageText(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	if alt := spaceless(attr(n, "alt")); alt != "" {
		_, _ = w.WriteString("![" + angles.Replace(alt) + "]")
	}
	return converter.RenderSuccess
}

// maxIndent is the maximum nesting of lists and quotes. Each level indents all lines in it.
const maxIndent = 12

// tidy makes links absolute, removes links to anything other than pages, and removes what could make the text much
// larger than the page.
func tidy(n *html.Node, at *url.URL, indent int) {
	switch n.DataAtom {
	case atom.A:
		n.Attr = linkTo(attr(n, "href"), at)
	case atom.Td, atom.Th:
		n.Attr = nil // column and row spans
	case atom.Ul, atom.Ol, atom.Blockquote:
		n.Attr = nil // start numbers
		indent++
	default:
	}
	if indent > maxIndent && (n.DataAtom == atom.Ul || n.DataAtom == atom.Ol || n.DataAtom == atom.Li || n.DataAtom == atom.Blockquote) {
		n.DataAtom, n.Data = atom.Div, "div"
	}
	for c := range n.ChildNodes() {
		tidy(c, at, indent)
	}
}

// linkTo returns the attributes of a link, or nil if it leads to an anchor of the same page or isn't http or https.
func linkTo(href string, at *url.URL) []html.Attribute {
	href = strings.TrimSpace(href)
	to, err := url.Parse(href)
	if err != nil || href == "" || strings.HasPrefix(href, "#") {
		return nil
	}
	if to = at.ResolveReference(to); to.Scheme != "http" && to.Scheme != "https" {
		return nil
	}
	return []html.Attribute{{Key: "href", Val: to.String()}}
}

// plainText returns the text between the tags of a page that can't be parsed.
func plainText(page string) string {
	var b strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(page))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		if words := spaceless(string(tokens.Text())); kind == html.TextToken && words != "" {
			b.WriteString(words + "\n")
		}
	}
	return b.String()
}

func first(doc *html.Node, a atom.Atom) *html.Node {
	for n := range doc.Descendants() {
		if n.DataAtom == a {
			return n
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
