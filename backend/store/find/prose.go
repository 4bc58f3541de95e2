package find

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// prose finds the matches in a Markdown text as it is drawn: without the marks of emphasis, code, headings, lists and
// quotes, with a space for each line break in a paragraph, and not across blocks. It skips comments and supported tags.
// The target of a link is a separate text. The text comes in pieces.
//
// It supports less Markdown than the frontend: formulas and footnotes are searched as written, and no match continues
// after a link.
type prose struct {
	c     *collector
	rest  []byte // the beginning of the last line, whose end hasn't arrived
	block paragraph
	fence []byte // the marks that opened the current code block
	blank bool   // the line before was blank
	plain bool   // a comment start is plain text
	list  bool   // in a list, where more indentation is not code
	// comment has the lines of a comment whose end hasn't arrived.
	comment [][]byte
	held    int // the size of comment
}

// maxBlock is the size in bytes above which a paragraph or a line is searched as written.
const maxBlock = 64 << 10

// marks are the characters that may be hidden.
const marks = "*_~`\\<[|#>"

// feed takes the next piece of the text.
func (p *prose) feed(piece []byte) {
	for len(piece) > 0 {
		n := bytes.IndexByte(piece, '\n') + 1
		if n == 0 {
			p.rest = append(p.rest, piece...)
			break
		}
		line := piece[:n:n]
		if len(p.rest) > 0 {
			line = append(p.rest, line...)
			p.rest = nil
		}
		p.line(line)
		piece = piece[n:]
	}
	if len(p.rest) > maxBlock {
		p.flush()
		p.c.feed(p.rest)
		p.rest = nil
	}
}

// close ends the text and returns the collector.
func (p *prose) close() *collector {
	if len(p.rest) > 0 {
		p.line(p.rest)
	}
	p.uncomment()
	p.flush()
	return p.c
}

// line takes a whole line.
func (p *prose) line(line []byte) {
	if p.fence != nil {
		text := bytes.TrimSpace(bytes.TrimLeft(line, " \t>"))
		if len(text) >= len(p.fence) && len(bytes.Trim(text, string(p.fence[:1]))) == 0 {
			p.fence = nil
			p.c.part()
			p.c.hide(line)
			p.c.part()
			return
		}
		p.c.feed(line)
		return
	}
	if p.comment != nil {
		p.commented(line)
		return
	}
	text := bytes.TrimLeft(line, " \t")
	blank := p.blank
	p.blank = len(bytes.TrimSpace(text)) == 0
	if p.blank {
		p.flush()
		p.c.feed(line)
		return
	}
	indent := len(line) - len(text)
	if indent == 0 && blank && listMark(text) == 0 {
		p.list = false
	}
	if !p.list && (indent >= 4 || line[0] == '\t') && len(p.block.text) == 0 {
		p.c.feed(line)
		return
	}
	begin := p.containers(line)
	text = line[begin:]
	if !p.plain && bytes.HasPrefix(text, commentOpens) {
		switch end := commentEnd(text, 2); {
		case end < 0:
			p.comment = [][]byte{bytes.Clone(line)}
			p.held = len(line)
			return
		case len(bytes.TrimSpace(text[end:])) == 0:
			p.flush()
			p.c.hide(line)
			p.c.part()
			return
		}
	}
	if n := fenceMark(text); n > 0 {
		p.flush()
		p.fence = append([]byte(nil), text[:n]...)
		p.c.hide(line[:begin+n])
		p.c.feed(line[begin+n:])
		p.c.part()
		return
	}
	switch heading := headingMark(text); {
	case isRule(text), len(p.block.text) > 0 && isUnderline(text):
		p.flush()
		p.c.hide(line)
	case heading > 0:
		p.flush()
		p.block.hidden(line[:begin+heading])
		p.block.add(text[heading:])
		p.flush()
	case len(text) > 0 && text[0] == '|':
		p.flush()
		p.block.hidden(line[:begin])
		p.row(text)
		p.flush()
	default:
		p.block.hidden(line[:begin])
		p.block.add(text)
		if len(p.block.text) > maxBlock {
			p.flush()
		}
	}
}

var commentOpens, commentCloses = []byte("<!--"), []byte("-->")

// commentEnd returns where a comment ends, or -1 if it doesn't.
func commentEnd(text []byte, from int) int {
	if n := bytes.Index(text[from:], commentCloses); n >= 0 {
		return from + n + len(commentCloses)
	}
	return -1
}

// commented takes the next line of an open comment. The rest of the line after the end of the comment is a paragraph.
func (p *prose) commented(line []byte) {
	p.comment = append(p.comment, bytes.Clone(line))
	p.held += len(line)
	end := commentEnd(line, 0)
	if end < 0 {
		if p.held > maxHidden {
			p.uncomment()
		}
		return
	}
	p.flush()
	for _, one := range p.comment[:len(p.comment)-1] {
		p.c.hide(one)
	}
	p.comment = nil
	p.block.hidden(line[:end])
	p.block.add(line[end:])
	p.flush()
}

// uncomment takes the lines of a comment without an end as text.
func (p *prose) uncomment() {
	lines := p.comment
	p.comment, p.plain = nil, true
	for _, one := range lines {
		p.line(one)
	}
	p.plain = false
}

// containers returns where the text of a line begins, after its indentation and the marks of quotes and lists. A list
// item is a new block.
func (p *prose) containers(line []byte) (at int) {
	for at < len(line) {
		rest := line[at:]
		switch n := listMark(rest); {
		case rest[0] == ' ', rest[0] == '\t', rest[0] == '>':
			at++
		case n > 0 && !isRule(rest) && (p.list || n < len(bytes.TrimSpace(rest)) || len(p.block.text) == 0):
			p.flush()
			p.list = true
			at += n
		default:
			return at
		}
	}
	return at
}

// listMark returns the size of the list mark at the start of a text, 0 if there is none.
func listMark(text []byte) int {
	n := 0
	for n < len(text) && n < 9 && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	switch {
	case n == len(text), n+1 < len(text) && text[n+1] != ' ' && text[n+1] != '\t' && text[n+1] != '\n',
		n == 0 && strings.IndexByte("*-+", text[n]) < 0, n > 0 && text[n] != '.' && text[n] != ')':
		return 0
	}
	return n + 1
}

// headingMark returns the size of the heading mark at the start of a text, 0 if there is none.
func headingMark(text []byte) int {
	n := len(text) - len(bytes.TrimLeft(text, "#"))
	if n == 0 || n > 6 || n < len(text) && text[n] != ' ' && text[n] != '\t' && text[n] != '\n' {
		return 0
	}
	return n
}

// fenceMark returns the size of the code fence at the start of a text, 0 if there is none.
func fenceMark(text []byte) int {
	n := 0
	for n < len(text) && (text[n] == '`' || text[n] == '~') && text[n] == text[0] {
		n++
	}
	if n < 3 || text[0] == '`' && bytes.IndexByte(text[n:], '`') >= 0 {
		return 0
	}
	return n
}

// isRule reports whether a line is a rule, or underlines a heading.
func isRule(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) < 3 || strings.IndexByte("*-_=", text[0]) < 0 {
		return false
	}
	return len(bytes.Trim(text, " "+string(text[:1]))) == 0
}

// isUnderline reports whether a line turns the paragraph before it into a heading.
func isUnderline(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(bytes.Trim(text, "-")) == 0 || len(bytes.Trim(text, "=")) == 0
}

// row adds the row of a table: each cell is a block.
func (p *prose) row(text []byte) {
	if len(bytes.Trim(text, "|:- \t\r\n")) == 0 {
		p.block.hidden(text)
		return
	}
	for len(text) > 0 {
		n := bytes.IndexByte(text, '|')
		for n > 0 && text[n-1] == '\\' {
			next := bytes.IndexByte(text[n+1:], '|')
			if next < 0 {
				n = -1
				break
			}
			n += 1 + next
		}
		if n < 0 {
			p.block.add(text)
			return
		}
		p.block.add(text[:n])
		p.flush()
		p.block.hidden(text[n : n+1])
		text = text[n+1:]
	}
}

// flush searches the block.
func (p *prose) flush() {
	b := p.block
	p.block = paragraph{}
	if len(b.text) == 0 {
		return
	}
	p.c.part()
	for n := len(b.text); n > 0 && (b.text[n-1] == ' ' || b.as[n-1] == nothing); n-- {
		b.as[n-1] = nothing // no line follows
	}
	if len(b.text) <= maxBlock && bytes.ContainsAny(b.text, marks+"&") {
		b.inline()
	}
	for from := 0; from < len(b.text); {
		to := from + 1
		for to < len(b.text) && b.as[to] == b.as[from] && b.as[to] != apart {
			to++
		}
		switch b.as[from] {
		case nothing:
			p.c.hide(b.text[from:to])
		case stands:
			to = from + 1
			for to < len(b.text) && b.as[to] == stood {
				to++
			}
			drawn, _ := entity(b.text[from:to])
			p.c.stand(b.text[from:to], drawn)
		case apart:
			p.c.hide(b.text[from:to])
			p.c.part()
		default:
			p.c.feed(b.text[from:to:to])
		}
		from = to
	}
	p.c.part()
}

// paragraph is a block of text with how each byte of it is drawn.
type paragraph struct {
	text []byte
	as   []drawn
	seen int // bytes scanned for the ends of tags
}

// drawn says how a byte is drawn.
type drawn uint8

const (
	itself  drawn = iota
	nothing       // not drawn; the text around it is contiguous
	apart         // not drawn; separates the text around it
	stands        // the start of an entity; the rest of it is stood
	stood
)

// hidden adds text that isn't drawn.
func (b *paragraph) hidden(text []byte) {
	for range text {
		b.as = append(b.as, nothing)
	}
	b.text = append(b.text, text...)
}

// add adds a line, or a part of one.
func (b *paragraph) add(line []byte) {
	text := bytes.TrimRight(line, " \t\r\n")
	for range text {
		b.as = append(b.as, itself)
	}
	b.text = append(b.text, text...)
	end := line[len(text):]
	if n := len(end); n > 0 && end[n-1] == '\n' {
		b.hidden(end[:n-1])
		how := itself
		if n > 2 || bytes.HasSuffix(text, []byte(`\`)) {
			how = apart // a line ends here
		}
		b.text, b.as = append(b.text, ' '), append(b.as, how)
		return
	}
	b.hidden(end)
}

// inline hides the marks in the block.
func (b *paragraph) inline() {
	var runs []delimiters
	for i := 0; i < len(b.text); {
		if b.as[i] != itself {
			i++
			continue
		}
		switch c := b.text[i]; c {
		case '\\':
			if i+1 < len(b.text) && isSign(b.text[i+1]) {
				b.as[i] = nothing
				i++
			}
			i++
		case '&':
			_, n := entity(b.text[i:])
			for at := range n {
				b.as[i+at] = stood
			}
			if n > 0 {
				b.as[i] = stands
			}
			i += max(n, 1)
		case '`':
			i = b.code(i)
		case '<':
			i = b.tag(i)
		case '[':
			b.link(i)
			i++
		case '*', '_', '~':
			run := b.delimiters(i)
			if c != '~' || run.count == 2 {
				runs = append(runs, run)
			}
			i += run.count
		default:
			i++
		}
	}
	b.pair(runs)
}

func isSign(c byte) bool {
	return c < utf8.RuneSelf && (unicode.IsPunct(rune(c)) || unicode.IsSymbol(rune(c)))
}

// code hides the marks of code that begins at i, and returns where the text continues.
func (b *paragraph) code(i int) int {
	n := len(b.run(i))
	for at := i + n; at < len(b.text); {
		if b.text[at] != '`' {
			at++
			continue
		}
		m := len(b.run(at))
		if m != n {
			at += m
			continue
		}
		from, to := i+n, at
		b.hide(i, from)
		b.hide(to, to+n)
		if to-from > 2 && b.text[from] == ' ' && b.text[to-1] == ' ' && len(bytes.TrimSpace(b.text[from:to])) > 0 {
			b.hide(from, from+1)
			b.hide(to-1, to)
		}
		return to + n
	}
	return i + n
}

// run returns the run of equal characters at i.
func (b *paragraph) run(i int) []byte {
	n := i
	for n < len(b.text) && b.text[n] == b.text[i] {
		n++
	}
	return b.text[i:n]
}

func (b *paragraph) hide(from, to int) {
	for i := from; i < to; i++ {
		b.as[i] = nothing
	}
}

// maxHidden is the maximum length of a comment, and distance of a pair of tags, in bytes.
const maxHidden = 16 << 10

// maxSeen is how many bytes of a block are scanned for the ends of its tags.
const maxSeen = 1 << 20

// tag hides a comment, a supported tag (see frontend/src/markdown/tags.ts) or the brackets of an address. It returns
// where the text continues.
func (b *paragraph) tag(i int) int {
	rest := b.text[i:min(len(b.text), i+maxHidden)]
	if bytes.HasPrefix(rest, commentOpens) {
		if end := commentEnd(rest, 2); end >= 0 {
			b.hide(i, i+end)
			return i + end
		}
		return i + 1
	}
	name, end := tagName(rest)
	switch name {
	case "", "/sub", "/sup", "/kbd":
		return b.address(i)
	case "br":
		b.hide(i, i+end)
		b.as[i] = apart
		return i + end
	}
	if b.seen > maxSeen {
		return i + end
	}
	depth := 1
	for at := end; at < len(rest); at++ {
		if rest[at] != '<' {
			continue
		}
		switch other, size := tagName(rest[at:]); other {
		case name:
			depth++
		case "/" + name:
			if depth--; depth == 0 {
				b.hide(i, i+end)
				b.hide(i+at, i+at+size)
				b.seen += at
				return i + end
			}
		}
	}
	b.seen += len(rest)
	return i + end
}

// tagName returns the name and size of the tag at the start of a text, if the tag is supported.
func tagName(text []byte) (name string, size int) {
	end := bytes.IndexByte(text[:min(len(text), 64)], '>')
	if end < 0 {
		return "", 0
	}
	name = strings.ToLower(strings.TrimRight(string(text[1:end]), " \t\r\n"))
	if strings.HasPrefix(name, "br") {
		name = strings.TrimRight(strings.TrimSuffix(name, "/"), " \t\r\n")
	}
	switch name {
	case "br", "sub", "sup", "kbd", "/sub", "/sup", "/kbd":
		return name, end + 1
	}
	return "", 0
}

// address hides the brackets of an address, and returns where the text continues.
func (b *paragraph) address(i int) int {
	end := bytes.IndexAny(b.text[i+1:], "<> \t\n")
	if end < 0 || b.text[i+1+end] != '>' {
		return i + 1
	}
	end += i + 1
	colon := bytes.IndexByte(b.text[i:end], ':')
	if colon < 3 {
		return i + 1
	}
	for _, c := range b.text[i+1 : i+colon] {
		if !isSchemeByte(c) {
			return i + 1
		}
	}
	b.as[i], b.as[end] = nothing, nothing
	return end + 1
}

func isSchemeByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '.' || c == '-'
}

// maxLink is the maximum length of a link, in bytes.
const maxLink = 2 << 10

// link hides the brackets of a link at i, and separates its text from its target.
func (b *paragraph) link(i int) {
	depth, end := 0, -1
	for at := i; at < min(len(b.text), i+maxLink) && end < 0; at++ {
		switch b.text[at] {
		case '\\':
			at++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				end = at
			}
		}
	}
	if end < 0 || end+1 >= len(b.text) || b.text[end+1] != '(' {
		return
	}
	depth = 0
	for at := end + 1; at < min(len(b.text), end+maxLink); at++ {
		switch b.text[at] {
		case '\\':
			at++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				b.as[i] = nothing
				if i > 0 && b.text[i-1] == '!' && b.as[i-1] == itself {
					b.as[i-1] = nothing
				}
				b.as[end], b.as[end+1], b.as[at] = nothing, apart, apart
				return
			}
		}
	}
}

// delimiters are a run of equal marks that may begin or end emphasis.
type delimiters struct {
	at, count   int // of those left
	char        byte
	open, close bool
	size        int // original count
}

func (b *paragraph) delimiters(i int) delimiters {
	d := delimiters{at: i, count: len(b.run(i)), char: b.text[i]}
	d.size = d.count
	before, after := ' ', ' '
	if i > 0 {
		before, _ = utf8.DecodeLastRune(b.text[:i])
	}
	if i+d.count < len(b.text) {
		after, _ = utf8.DecodeRune(b.text[i+d.count:])
	}
	sign := func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
	left := !unicode.IsSpace(after) && (!sign(after) || unicode.IsSpace(before) || sign(before))
	right := !unicode.IsSpace(before) && (!sign(before) || unicode.IsSpace(after) || sign(after))
	d.open, d.close = left, right
	if d.char == '_' {
		d.open, d.close = left && (!right || sign(before)), right && (!left || sign(after))
	}
	return d
}

// pair hides the matching delimiters of emphasis.
func (b *paragraph) pair(runs []delimiters) {
	type kind struct {
		char byte
		open bool
		mod  int
	}
	bottom := map[kind]int{} // no run before this index can be closed by one of this kind
	below := make([]int, len(runs))
	for i := range runs {
		below[i] = i - 1
	}
	for i := range runs {
		ends := &runs[i]
		for ends.close && ends.count > 0 {
			k := kind{ends.char, ends.open, ends.size % 3}
			found := -1
			for j := below[i]; j >= bottom[k]; j = below[j] {
				begins := &runs[j]
				odd := (begins.close || ends.open) && (begins.size+ends.size)%3 == 0 && (begins.size%3 != 0 || ends.size%3 != 0)
				if begins.char == ends.char && begins.open && begins.count > 0 && (!odd || ends.char == '~') {
					found = j
					break
				}
			}
			if found < 0 {
				bottom[k] = i
				break
			}
			begins := &runs[found]
			n := 1
			if begins.count >= 2 && ends.count >= 2 {
				n = 2
			}
			begins.count -= n
			b.hide(begins.at+begins.count, begins.at+begins.count+n)
			b.hide(ends.at, ends.at+n)
			ends.at, ends.count = ends.at+n, ends.count-n
			// The runs between them can't open emphasis anymore.
			if below[i] = found; begins.count == 0 {
				below[i] = below[found]
			}
		}
	}
}

// maxEntity is the length of the longest entity, in bytes.
const maxEntity = 34

// entity returns how an entity such as "&amp;" at the start of a text is drawn, and its size; 0 if there is none.
func entity(text []byte) (drawn string, size int) {
	end := bytes.IndexByte(text[:min(len(text), maxEntity)], ';')
	if end < 3 && (end < 2 || text[1] == '#') {
		return "", 0
	}
	name := string(text[1:end])
	if name[0] != '#' {
		// Unlike in HTML, the semicolon is required.
		if drawn = html.UnescapeString("&" + name + ";"); strings.ContainsRune(name, '&') || drawn == "&"+name+";" || strings.HasSuffix(drawn, ";") && name != "semi" {
			return "", 0
		}
		return drawn, end + 1
	}
	digits, base, most := name[1:], 10, 7
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base, most = digits[1:], 16, 6
	}
	code, err := strconv.ParseUint(digits, base, 32)
	if err != nil || len(digits) > most || digits[0] == '+' {
		return "", 0
	}
	if r := rune(code); isDrawable(r) {
		return string(r), end + 1
	}
	return string(utf8.RuneError), end + 1
}

// isDrawable reports whether a numeric entity may name this character.
func isDrawable(r rune) bool {
	switch {
	case !utf8.ValidRune(r), 0xfdd0 <= r && r <= 0xfdef, r&0xfffe == 0xfffe, r <= 0x08, r == 0x0b, 0x0e <= r && r <= 0x1f, 0x7f <= r && r <= 0x9f:
		return false
	}
	return true
}
