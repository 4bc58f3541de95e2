package tool

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxNesting is how deep a page is read.
const maxNesting = 400

// markdown is the text of a page with its headings, lists, links and code.
func markdown(page string, base *url.URL) string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return plainText(page) // nested too deeply
	}
	m := &marker{base: base}
	if title := find1(doc, atom.Title, 0); title != nil {
		if s := spaceless(textOf(title)); s != "" {
			m.b.WriteString("# " + s + "\n\n")
		}
	}
	if body := find1(doc, atom.Body, 0); body != nil {
		m.children(body, 0)
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(trailing.ReplaceAllString(m.b.String(), "\n"), "\n\n")) + "\n"
}

// plainText is what is between the tags of a page that cannot be parsed.
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

var (
	blankLines = regexp.MustCompile(`\n{3,}`)
	trailing   = regexp.MustCompile(`[ \t]+\n`)
)

func find1(n *html.Node, a atom.Atom, depth int) *html.Node {
	if n.DataAtom == a {
		return n
	}
	if depth > maxNesting {
		return nil
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if found := find1(c, a, depth+1); found != nil {
			return found
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

// marker writes Markdown.
type marker struct {
	b      strings.Builder
	base   *url.URL
	pre    bool
	prefix string // of a line in a list or a quotation
	bullet string // of the list that is being written; "1." counts
	item   int
}

func (m *marker) children(n *html.Node, depth int) {
	if depth > maxNesting {
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		m.node(c, depth+1)
	}
}

func (m *marker) node(n *html.Node, depth int) {
	switch n.Type {
	case html.TextNode:
		m.text(n.Data)
		return
	case html.ElementNode:
	default:
		return
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Head, atom.Button, atom.Select, atom.Input, atom.Canvas, atom.Video, atom.Audio:
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		m.block()
		m.b.WriteString(strings.Repeat("#", int(n.Data[1]-'0')) + " ")
		m.children(n, depth)
		m.block()
	case atom.Br:
		m.newline()
	case atom.Hr:
		m.block()
		m.b.WriteString("---")
		m.block()
	case atom.Pre:
		m.code(n)
	case atom.Code, atom.Kbd, atom.Samp:
		m.wrapped(n, "`", depth)
	case atom.Strong, atom.B:
		m.wrapped(n, "**", depth)
	case atom.Em, atom.I:
		m.wrapped(n, "*", depth)
	case atom.A:
		m.link(n, depth)
	case atom.Img:
		if alt := spaceless(attr(n, "alt")); alt != "" {
			m.b.WriteString("![" + alt + "]")
		}
	case atom.Ul, atom.Ol:
		m.list(n, depth)
	case atom.Li:
		m.listItem(n, depth)
	case atom.Blockquote:
		outer := m.prefix
		m.block()
		m.prefix += "> "
		m.b.WriteString("> ")
		m.children(n, depth)
		m.prefix = outer
		m.block()
	case atom.Tr:
		m.newline()
		m.children(n, depth)
	case atom.Td, atom.Th:
		m.b.WriteString("| ")
		m.children(n, depth)
		m.b.WriteByte(' ')
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Table, atom.Dl, atom.Dt, atom.Dd, atom.Figure, atom.Figcaption, atom.Form, atom.Details, atom.Summary, atom.Address:
		m.block()
		m.children(n, depth)
		m.block()
	default:
		m.children(n, depth)
	}
}

func (m *marker) text(s string) {
	if m.pre {
		m.b.WriteString(s)
		return
	}
	words := spaceless(s)
	if words == "" {
		if s != "" {
			m.space()
		}
		return
	}
	if strings.ContainsAny(s[:1], " \t\n\r") {
		m.space()
	}
	m.b.WriteString(words)
	if strings.ContainsAny(s[len(s)-1:], " \t\n\r") {
		m.b.WriteByte(' ')
	}
}

// ends reports whether what was written ends with one of these.
func (m *marker) ends(chars string) bool {
	s := m.b.String()
	return s == "" || strings.ContainsAny(s[len(s)-1:], chars)
}

func (m *marker) space() {
	if !m.ends(" \n") {
		m.b.WriteByte(' ')
	}
}

func (m *marker) newline() { m.b.WriteString("\n" + m.prefix) }

// block begins a new paragraph, unless one has just begun.
func (m *marker) block() {
	if rest := strings.TrimRight(m.b.String()[max(0, m.b.Len()-40):], " >\n"); rest == "" || strings.HasSuffix(rest, "-") && m.prefix != "" {
		return
	}
	m.b.WriteString("\n" + strings.TrimRight(m.prefix, " ") + "\n" + m.prefix)
}

func (m *marker) wrapped(n *html.Node, mark string, depth int) {
	if m.pre || strings.TrimSpace(textOf(n)) == "" {
		m.children(n, depth)
		return
	}
	m.b.WriteString(mark)
	m.children(n, depth)
	m.b.WriteString(mark)
}

func (m *marker) code(n *html.Node) {
	m.block()
	for line := range strings.Lines(fenced("", strings.TrimPrefix(textOf(n), "\n"))) {
		m.b.WriteString(strings.TrimSuffix(line, "\n"))
		m.newline()
	}
	m.block()
}

func (m *marker) link(n *html.Node, depth int) {
	label := spaceless(textOf(n))
	to, err := url.Parse(strings.TrimSpace(attr(n, "href")))
	if err != nil || label == "" || attr(n, "href") == "" || strings.HasPrefix(attr(n, "href"), "#") {
		m.children(n, depth)
		return
	}
	if to = m.base.ResolveReference(to); to.Scheme != "http" && to.Scheme != "https" {
		m.children(n, depth)
		return
	}
	m.b.WriteString("[" + label + "](" + to.String() + ")")
}

func (m *marker) list(n *html.Node, depth int) {
	bullet, item := m.bullet, m.item
	m.bullet, m.item = "-", 0
	if n.DataAtom == atom.Ol {
		m.bullet = "1."
	}
	if m.prefix == "" {
		m.block()
	}
	m.children(n, depth)
	m.bullet, m.item = bullet, item
	if m.prefix == "" {
		m.block()
	}
}

func (m *marker) listItem(n *html.Node, depth int) {
	outer := m.prefix
	if !m.ends("\n") || m.prefix != "" {
		m.newline()
	}
	m.item++
	if m.bullet == "1." {
		fmt.Fprintf(&m.b, "%d. ", m.item)
	} else {
		m.b.WriteString("- ")
	}
	m.prefix += "  "
	m.children(n, depth)
	m.prefix = outer
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
