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

// markdown returns a page as Markdown: its title, headings, lists, links, tables and code. Nothing of the page stays
// HTML, links lead to http and https only, and of images the description is left.
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

// unread are elements whose content is not text for a reader; the library leaves out others by itself.
var unread = []string{"template", "svg", "math", "object", "embed", "button", "select", "canvas", "video", "audio", "dialog"}

// angles keeps what is written in an attribute from looking like an element.
var angles = strings.NewReplacer("<", "&lt;", ">", "&gt;")

// newConverter returns a converter that leaves the text of a page as it is: a name such as a_b is read by a model.
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

// imageText writes the description of an image: an address would be loaded by whoever shows the text.
func imageText(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	if alt := spaceless(attr(n, "alt")); alt != "" {
		_, _ = w.WriteString("![" + angles.Replace(alt) + "]")
	}
	return converter.RenderSuccess
}

// maxIndent is how deep lists and quotations are nested in a text: each level indents every line below it.
const maxIndent = 12

// tidy makes links absolute, unlinks what leads elsewhere than to a page, and takes what could make a text much larger
// than its page.
func tidy(n *html.Node, at *url.URL, indent int) {
	switch n.DataAtom {
	case atom.A:
		n.Attr = linkTo(attr(n, "href"), at)
	case atom.Td, atom.Th:
		n.Attr = nil // how many columns a cell spans
	case atom.Ul, atom.Ol, atom.Blockquote:
		n.Attr = nil // where a list begins to count
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

// linkTo returns the attributes of a link: none where it leads to a place in the page, or to what is no page.
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

// plainText returns what is between the tags of a page that cannot be parsed.
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
