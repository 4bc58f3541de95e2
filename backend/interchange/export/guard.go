package export

import (
	"bytes"
	"html"
	"slices"
	"strings"
	"sync"

	"weft/backend/base/lazyregexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// lineEnds normalizes line ends, so that code that splits lines finds them all, and replaces what parsers replace.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD")

// gfm parses Markdown as GitHub does.
var gfm = sync.OnceValue(func() parser.Parser { return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser() })

// contained returns any Markdown so that it stays within its place in a file: it contains no HTML, defines no links for
// the rest of the file, loads no images from elsewhere, has no heading as high as those of messages, and closes its
// last code block. Code is unchanged.
func contained(md string) string {
	src := []byte(lineEnds.Replace(strings.ToValidUTF8(md, "\uFFFD")))
	if len(src) > maxProse || costly(src) {
		return fenced(md, "")
	}
	if src = unindented(untabbed(src)); indentedCode(src) {
		return fenced(md, "") // after a list it would belong to the list and not be code
	}
	// A change may affect what is code, so repeat until nothing changes.
	for range 6 {
		out := escaped(lowered(src, gfm().Parse(text.NewReader(src))))
		if fence := openFence(out); fence != "" {
			out = append(bytes.TrimRight(out, "\n"), "\n"+fence...)
		}
		if bytes.Equal(out, src) {
			if ends(out) && !ambiguous(out) {
				return string(out)
			}
			break
		}
		src = out
	}
	return fenced(md, "")
}

// unindented removes leading blank lines, and up to 3 spaces before the first word.
func unindented(src []byte) []byte {
	for {
		line, rest, more := bytes.Cut(src, []byte("\n"))
		if !more || len(bytes.TrimSpace(line)) > 0 {
			break
		}
		src = rest
	}
	for range 3 {
		src = bytes.TrimPrefix(src, []byte(" "))
	}
	return src
}

// indentedCode reports whether the first line of a text is indented as code is.
func indentedCode(src []byte) bool { return len(src) > 0 && (src[0] == ' ' || src[0] == '\t') }

// containedQuote returns Markdown as a quote that stays within its place, like [contained]. The quote mark shifts tabs,
// so code that is indented by one could become a paragraph.
func containedQuote(md string) string {
	src := []byte(lineEnds.Replace(strings.ToValidUTF8(md, "\uFFFD")))
	if len(src) > maxProse || costly(src) {
		return quoted(fenced(md, ""))
	}
	out := []byte(quoted(contained(string(untabbed(src)))))
	if bytes.Equal(escaped(out), out) && bytes.Equal(lowered(out, gfm().Parse(text.NewReader(out))), out) {
		return string(out)
	}
	return quoted(fenced(md, ""))
}

// untabbed replaces the tabs before the first word of each line with spaces, except in code blocks outside of lists and
// quotes.
func untabbed(src []byte) []byte {
	if bytes.IndexByte(src, '\t') < 0 {
		return src
	}
	var code [][2]int
	doc := gfm().Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindFencedCodeBlock && n.Lines().Len() > 0 {
			code = append(code, [2]int{n.Lines().At(0).Start, n.Lines().At(n.Lines().Len() - 1).Stop})
		}
	}
	out := make([]byte, 0, len(src)+64)
	at := 0
	for line := range bytes.Lines(src) {
		for len(code) > 0 && code[0][1] <= at {
			code = code[1:]
		}
		in := len(code) > 0 && code[0][0] < at+len(line)
		at += len(line)
		if in {
			out = append(out, line...)
			continue
		}
		words := len(line) - len(bytes.TrimLeft(line, " \t>-*+.)0123456789"))
		column := 0
		for _, b := range line[:words] {
			if b != '\t' {
				out = append(out, b)
				column++
				continue
			}
			spaces := 4 - column%4
			out = append(out, "    "[:spaces]...)
			column += spaces
		}
		out = append(out, line[words:]...)
	}
	return out
}

// The parser is slow for texts that nobody writes: deeply nested lists and quotes, and paragraphs with very many marks.
const (
	maxNested = 60
	maxMarks  = 2000
	maxIndent = 120
)

// costly reports whether the parser would be slow for a text.
func costly(src []byte) bool {
	marks := 0
	for line := range bytes.Lines(src) {
		words := bytes.TrimSpace(line)
		if len(words) == 0 {
			marks = 0
			continue
		}
		for _, b := range words {
			switch b {
			case '*', '_', '~', '[', ']', '<', '`', '!':
				marks++
			}
		}
		if marks > maxMarks || nested(line) > maxNested {
			return true
		}
		if indent := len(line) - len(bytes.TrimLeft(line, " \t")); indent > maxIndent && strings.IndexByte("-*+>0123456789", words[0]) >= 0 {
			return true
		}
	}
	return false
}

// nested counts the list and quote markers at the start of a line.
func nested(line []byte) (n int) {
	words := bytes.TrimSpace(line)
	if len(bytes.Trim(words, string(words[:1]))) == 0 { // a rule, or an underline
		return 0
	}
	for _, word := range bytes.Fields(words) {
		switch {
		case len(bytes.Trim(word, ">")) == 0:
			n += len(word)
		case len(word) == 1 && strings.IndexByte("-*+", word[0]) >= 0, len(word) <= 10 && len(bytes.Trim(word, "0123456789")) == 1 && (word[len(word)-1] == '.' || word[len(word)-1] == ')'):
			n++
		default:
			return n
		}
	}
	return n
}

// ambiguous reports whether a text has markup in indented code where parsers disagree about whether it is code:
// directly after or inside a list or a quote.
func ambiguous(src []byte) bool {
	found := false
	_ = ast.Walk(gfm().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Kind() != ast.KindCodeBlock {
			return ast.WalkContinue, nil
		}
		before := n.PreviousSibling()
		if n.Parent().Kind() == ast.KindDocument && before != nil && before.Kind() != ast.KindList && before.Kind() != ast.KindBlockquote {
			return ast.WalkSkipChildren, nil
		}
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			found = found || bytes.ContainsAny(line.Value(src), "<!")
		}
		return ast.WalkSkipChildren, nil
	})
	return found
}

const sentinel = "WEFTEND7c1f"

// ends reports whether text after this one would be a separate paragraph.
func ends(src []byte) bool {
	all := append(append(append([]byte{}, src...), "\n\n"...), sentinel...)
	last := gfm().Parse(text.NewReader(all)).LastChild()
	if last == nil || last.Kind() != ast.KindParagraph || last.Lines().Len() != 1 {
		return false
	}
	line := last.Lines().At(0)
	return string(bytes.TrimSpace(line.Value(all))) == sentinel
}

// openFence returns the fence that closes a code block left open at the end of a text, or "".
func openFence(src []byte) string {
	doc := gfm().Parse(text.NewReader(append(append([]byte{}, src...), "\n\n"+sentinel...)))
	block, ok := doc.LastChild().(*ast.FencedCodeBlock)
	if !ok || block.Lines().Len() == 0 {
		return ""
	}
	at := block.Lines().At(0).Start
	head := bytes.TrimRight(src[:min(at, len(src))], "\n")
	line := bytes.TrimLeft(head[bytes.LastIndexByte(head, '\n')+1:], " ")
	n := 0
	for n < len(line) && line[n] == line[0] {
		n++
	}
	return string(line[:n])
}

// codeRanges returns the ranges of code in a text, in order.
func codeRanges(src []byte) (list [][2]int) {
	doc := gfm().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock:
			for i := range n.Lines().Len() {
				s := n.Lines().At(i)
				list = append(list, [2]int{s.Start, s.Stop})
			}
			return ast.WalkSkipChildren, nil
		case ast.KindCodeSpan:
			if c := n.FirstChild(); c != nil && c.NextSibling() != nil {
				return ast.WalkSkipChildren, nil // parsers disagree about code over several lines, so treat it as text
			}
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					list = append(list, [2]int{t.Segment.Start, t.Segment.Stop})
				}
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(list, func(a, b [2]int) int { return a[0] - b[0] })
	return list
}

var (
	autolink   = lazyregexp.New(`^<(?:https?://|mailto:)[^\s<>"]*>`)
	underline  = lazyregexp.New(`^([ >\t]*)(=+)`)
	definition = lazyregexp.New(`^[ >\t]*(?:[-*+] +|\d+[.)] +)*\[[^\]\n]{1,999}\]?:?`)
)

// escaped escapes everything in a text that could be HTML, a definition, an image, a link that runs something or the
// underline of a heading.
func escaped(src []byte) []byte {
	code := codeRanges(src)
	out := make([]byte, 0, len(src)+64)
	start := true // of a line
	for i := 0; i < len(src); {
		for len(code) > 0 && code[0][1] <= i {
			code = code[1:]
		}
		if len(code) > 0 && code[0][0] <= i {
			out = append(out, src[i:code[0][1]]...)
			i = code[0][1]
			start = i > 0 && src[i-1] == '\n'
			continue
		}
		if start && defines(src[i:]) {
			at := i + bytes.IndexByte(src[i:], '[')
			out = append(append(out, src[i:at]...), '\\')
			i, start = at, false
			out = append(out, '[')
			i++
			continue
		}
		if start {
			if under := underline.FindSubmatch(src[i:]); under != nil { // it underlines no heading, but some parsers differ
				out = append(append(append(out, under[1]...), '\\'), under[2]...)
				i += len(under[0])
				start = false
				continue
			}
		}
		b := src[i]
		start = b == '\n'
		switch {
		case b == '<' && i+1 < len(src) && (letter(src[i+1]) || src[i+1] == '/' || src[i+1] == '!' || src[i+1] == '?'):
			if link := autolink.Find(src[i:]); link != nil {
				out = append(out, link...)
				i += len(link)
				continue
			}
			out = append(out, "&lt;"...)
		case b == ']' && i+1 < len(src) && src[i+1] == '(' && runs(src[i+2:]):
			out = append(out, "]\\"...)
		case b == '!' && i+1 < len(src) && src[i+1] == '[': // an image becomes a link
		default:
			out = append(out, b)
		}
		i++
	}
	return out
}

// runs reports whether a link starts with an address that is a script or a page of its own. GitHub blocks these, but
// other viewers may not.
func runs(link []byte) bool {
	link = bytes.TrimLeft(link[:min(len(link), 2000)], " \t\n<>") // a line of a quote begins with ">"
	if end := bytes.IndexAny(link, " \t\n"); end >= 0 {
		link = link[:end]
	}
	address := strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' || r == '\\' || r >= 0x7f && r <= 0xa0 {
			return -1
		}
		return r
	}, html.UnescapeString(string(link))))
	for _, scheme := range []string{"javascript:", "vbscript:", "data:"} {
		if strings.HasPrefix(address, scheme) {
			return true
		}
	}
	return false
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

// defines reports whether a line may begin a definition of a link or a footnote.
func defines(line []byte) bool {
	if !definition.Match(line) {
		return false
	}
	// A label may span several lines.
	end := bytes.Index(line[:min(len(line), 2000)], []byte("]:"))
	blank := bytes.Index(line, []byte("\n\n"))
	return end >= 0 && (blank < 0 || end < blank)
}

// headings is the number of heading levels that a file uses itself.
const headings = 2

// lowered moves the headings of a text below those of the file.
func lowered(src []byte, doc ast.Node) []byte {
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		h, ok := n.(*ast.Heading)
		if !entering || !ok || h.Level > headings {
			return ast.WalkContinue, nil
		}
		if h.Lines().Len() == 0 { // it is empty
			if at := bytes.IndexByte(src[max(h.Pos(), 0):], '#'); at >= 0 {
				at += max(h.Pos(), 0)
				edits = append(edits, edit{at, at, strings.Repeat("#", min(headings, 6-h.Level))})
			}
			return ast.WalkContinue, nil
		}
		first, last := h.Lines().At(0), h.Lines().At(h.Lines().Len()-1)
		begin := bytes.LastIndexByte(src[:first.Start], '\n') + 1
		lead := src[begin:first.Start]
		if hash := bytes.IndexByte(lead, '#'); hash >= 0 {
			edits = append(edits, edit{begin + hash, begin + hash, strings.Repeat("#", min(headings, 6-h.Level))})
			return ast.WalkContinue, nil
		}
		// Underlined: remove the underline and join the lines.
		under := last.Stop
		if nl := bytes.IndexByte(src[under:], '\n'); nl >= 0 && !bytes.HasSuffix(src[:under], []byte("\n")) {
			under += nl + 1
		}
		end := len(src)
		if nl := bytes.IndexByte(src[under:], '\n'); nl >= 0 {
			end = under + nl
		}
		var words []string
		for i := range h.Lines().Len() {
			line := h.Lines().At(i)
			words = append(words, string(bytes.TrimSpace(line.Value(src))))
		}
		edits = append(edits, edit{first.Start, end, strings.Repeat("#", min(headings+h.Level, 6)) + " " + strings.Join(words, " ")})
		return ast.WalkContinue, nil
	})
	if len(edits) == 0 {
		return src
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.from < at {
			continue
		}
		out = append(append(out, src[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, src[at:]...)
}

// fenced returns a text as a code block that the text can't close.
func fenced(s, lang string) string {
	s = lineEnds.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	fence := strings.Repeat("`", max(3, longest(s, '`')+1))
	if !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return fence + lang + "\n" + s + fence
}

// longest returns the length of the longest run of b.
func longest(s string, b byte) (most int) {
	n := 0
	for i := range len(s) {
		if s[i] != b {
			n = 0
			continue
		}
		if n++; n > most {
			most = n
		}
	}
	return most
}

// plain returns a text as one line, escaped for both Markdown and HTML.
func plain(s string) string {
	var b strings.Builder
	for i, r := range oneLine(s) {
		switch {
		case i == 0 && strings.ContainsRune("-+=", r): // not a list item or the underline of a heading
			b.WriteString("&#")
			b.WriteString(itoa(int(r)))
			b.WriteByte(';')
		case (r == '.' || r == ')') && i > 0 && i < 10 && strings.Trim(b.String(), "0123456789") == "": // not a list item
			b.WriteString("&#")
			b.WriteString(itoa(int(r)))
			b.WriteByte(';')
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case strings.ContainsRune("\\`*_[]#|~$@", r):
			b.WriteString("&#")
			b.WriteString(itoa(int(r)))
			b.WriteByte(';')
		case r == '/' && strings.HasSuffix(b.String(), ":/"): // not an automatic link
			b.WriteString("&#47;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// oneLine returns a text without line ends, other control characters, and characters that change the text direction.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return r <= ' ' || r >= 0x7f && r <= 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}), " ")
}
