package export

import (
	"bytes"
	"net/url"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// drawn renders the Markdown of agents as safe HTML: HTML in it is shown as text, external images become links, and
// links lead only to the web or to a mail address.
var drawn = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough, extension.Linkify, extension.TaskList,
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(&proseRenderer{}, 1))),
	)
})

// maxProse is the maximum size of a text to render, in bytes; a larger one is shown as is.
const maxProse = 1 << 20

// prose writes Markdown as HTML.
func prose(w util.BufWriter, md string) error {
	md = strings.ToValidUTF8(md, "\uFFFD")
	if simple(md) {
		_, _ = w.WriteString("<p>")
		escape(w, md)
		_, err := w.WriteString("</p>\n")
		return err
	}
	if len(md) > maxProse || costly([]byte(md)) {
		_, _ = w.WriteString("<pre class=\"plain\">")
		escape(w, md)
		_, err := w.WriteString("</pre>\n")
		return err
	}
	return drawn().Convert([]byte(md), w)
}

// simple reports whether a text is one paragraph without any markup.
func simple(md string) bool {
	return md != "" && !strings.ContainsAny(md, "\n\r\\`*_[]<>&#|~:!\"'") && md[0] > ' ' && !strings.ContainsRune("-+=0123456789", rune(md[0])) &&
		!strings.Contains(md, "www.") && !strings.Contains(md, "@") && !strings.HasSuffix(md, " ")
}

// escape writes a text as HTML.
func escape(w util.BufWriter, s string) {
	at := 0
	for i := range len(s) {
		var e string
		switch s[i] {
		case '&':
			e = "&amp;"
		case '<':
			e = "&lt;"
		case '>':
			e = "&gt;"
		case '"':
			e = "&#34;"
		case '\'':
			e = "&#39;"
		case 0:
			e = "\uFFFD"
		default:
			continue
		}
		_, _ = w.WriteString(s[at:i])
		_, _ = w.WriteString(e)
		at = i + 1
	}
	_, _ = w.WriteString(s[at:])
}

// proseRenderer renders the nodes that could be harmful or would not fit into the page.
type proseRenderer struct{}

// RegisterFuncs implements [renderer.NodeRenderer].
func (p *proseRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, p.heading)
	r.Register(ast.KindLink, p.link)
	r.Register(ast.KindAutoLink, p.autoLink)
	r.Register(ast.KindImage, p.image)
	r.Register(ast.KindRawHTML, p.rawHTML)
	r.Register(ast.KindHTMLBlock, p.htmlBlock)
	r.Register(ast.KindFencedCodeBlock, p.code)
	r.Register(ast.KindCodeBlock, p.code)
	r.Register(east.KindTaskCheckBox, p.checkBox)
}

// heading renders all headings at one level, below that of the message, so that no level is skipped.
func (p *proseRenderer) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<h3 class="h` + itoa(n.(*ast.Heading).Level) + `">`)
	} else {
		_, _ = w.WriteString("</h3>\n")
	}
	return ast.WalkContinue, nil
}

// harmless returns the address if a link may have it, otherwise "".
func harmless(address []byte) string {
	u, err := url.Parse(string(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" || (u.Scheme != "mailto" && u.Host == "") {
		return ""
	}
	return string(util.EscapeHTML(util.URLEscape(address, false)))
}

func (p *proseRenderer) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Link)
	address := harmless(n.Destination)
	switch {
	case address == "":
	case entering:
		_, _ = w.WriteString(`<a href="` + address + `" rel="noopener noreferrer nofollow">`)
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (p *proseRenderer) autoLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.AutoLink)
	if !entering {
		return ast.WalkContinue, nil
	}
	label := n.Label(source)
	target := n.URL(source)
	if n.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(target), []byte("mailto:")) {
		target = append([]byte("mailto:"), target...)
	}
	if address := harmless(target); address != "" {
		_, _ = w.WriteString(`<a href="` + address + `" rel="noopener noreferrer nofollow">`)
		escape(w, string(label))
		_, _ = w.WriteString("</a>")
	} else {
		escape(w, string(label))
	}
	return ast.WalkContinue, nil
}

// image renders an image as a link, because loading it would tell someone that the file was opened. Inside a link, it
// renders only its text.
func (p *proseRenderer) image(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.Image)
	var alt bytes.Buffer
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			alt.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	text := alt.String()
	if text == "" {
		text = "Image"
	}
	inLink := false
	for parent := n.Parent(); parent != nil; parent = parent.Parent() {
		inLink = inLink || parent.Kind() == ast.KindLink
	}
	if address := harmless(n.Destination); address != "" && !inLink {
		_, _ = w.WriteString(`<a href="` + address + `" rel="noopener noreferrer nofollow">`)
		escape(w, text)
		_, _ = w.WriteString("</a>")
	} else {
		escape(w, text)
	}
	return ast.WalkSkipChildren, nil
}

func (p *proseRenderer) rawHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		n := node.(*ast.RawHTML)
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			escape(w, string(s.Value(source)))
		}
	}
	return ast.WalkSkipChildren, nil
}

func (p *proseRenderer) htmlBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.HTMLBlock)
	_, _ = w.WriteString("<pre class=\"plain\">")
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		escape(w, string(s.Value(source)))
	}
	if n.HasClosure() {
		escape(w, string(n.ClosureLine.Value(source)))
	}
	_, _ = w.WriteString("</pre>\n")
	return ast.WalkSkipChildren, nil
}

func (p *proseRenderer) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<pre><code>")
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		escape(w, string(s.Value(source)))
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

func (p *proseRenderer) checkBox(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		if n.(*east.TaskCheckBox).IsChecked {
			_, _ = w.WriteString("☑ ")
		} else {
			_, _ = w.WriteString("☐ ")
		}
	}
	return ast.WalkContinue, nil
}
