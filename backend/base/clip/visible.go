package clip

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Visible is what a terminal shows of an output once all has been written, without its colors: lines that were written
// over show what is there in the end, and what means something only to a terminal is left out. The frontend reads
// outputs in the same way (frontend/src/views/parts/screenText.ts); both are held to testdata.
func Visible(s string) string {
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	t := &screen{lines: make([]line, 1)}
	for i := 0; i < len(s); {
		i = t.step(s, i)
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, l := range t.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.Write(l.plain)
		for _, c := range l.cells {
			b.WriteString(c)
		}
	}
	return b.String()
}

func isControl(r rune) bool {
	return r != '\t' && r != '\n' && (r < ' ' || 0x7f <= r && r <= 0x9f)
}

const (
	widest      = 256        // No terminal is wider: a cursor that is moved further stays there.
	longestLine = 4096       // in a longer one no blanks are inserted, and on a longer character no more marks are drawn
	mostMoved   = 20_000_000 // columns that are moved or erased in all; then sequences that would are passed over
	longest     = 256        // parameters of a sequence
	esc         = '\x1b'
)

// drawing are the letters from ` to ~ in the set of characters that boxes are drawn with.
var drawing = []rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")

// line is text behind each other, until something is written over it: then cells, one a column. Those of a character
// that takes several are empty but for the first.
type line struct {
	plain []byte // of ASCII
	cells []string
	n     int // columns
}

type screen struct {
	lines    []line
	row, col int
	fresh    bool // what is written next takes the place of the whole line: a carriage return came before it
	saved    struct{ row, col int }
	moved    int
	draws    [2]bool // which sets of characters are that for drawing
	set      int     // that in use
	last     string
	aside    int // 1 more than the line that was begun where the cursor was sent to a place on the screen since its own was kept
}

// step takes what begins at i, and returns where that ends.
func (t *screen) step(s string, i int) int {
	r, n := utf8.DecodeRuneInString(s[i:])
	switch {
	case r == '\n', r == '\v', r == '\f', r == 0x85:
		t.newLine(0)
	case r == '\r':
		t.move(t.row, 0)
		t.fresh = true
	case r == '\b':
		t.move(t.row, t.col-1)
	case r == '\x0e':
		t.set = 1
	case r == '\x0f':
		t.set = 0
	case r == esc:
		return t.escape(s, i)
	case r == 0x9b:
		return t.control(s, i+n)
	case r == 0x90, r == 0x98, 0x9d <= r && r <= 0x9f:
		return skip(s, i+n)
	case !isControl(r):
		t.print(s[i : i+n])
	}
	return i + n
}

func (t *screen) escape(s string, i int) int {
	if i+1 == len(s) {
		return len(s)
	}
	switch s[i+1] {
	case '[':
		return t.control(s, i+2)
	case ']', 'P', 'X', '^', '_':
		return skip(s, i+2)
	}
	end := i + 1
	for end < len(s) && ' ' <= s[end] && s[end] <= '/' && end-i < longest {
		end++
	}
	if end == len(s) {
		return end
	}
	if s[end] < '0' || s[end] > '~' {
		return end // something else begins here: the sequence was none
	}
	switch kind := s[i+1]; {
	case end == i+1:
		t.single(kind)
	case kind == '(' || kind == ')':
		t.draws[kind-'('] = s[end] == '0'
	}
	return end + 1
}

func (t *screen) single(kind byte) {
	switch kind {
	case '7':
		t.saved.row, t.saved.col, t.aside = t.row, t.col, 0
	case '8':
		// A line that shows how far it is, below all others, is written again with the next.
		if t.aside > 0 {
			t.lines = t.lines[:min(max(t.aside-1, t.saved.row+1), len(t.lines))]
		}
		t.move(t.saved.row, t.saved.col)
		if t.aside == t.row+1 {
			t.cut()
		}
		t.aside = 0
	case 'D':
		t.newLine(t.col)
	case 'E':
		t.newLine(0)
	case 'M':
		t.move(t.row-1, t.col)
	case 'c':
		t.draws, t.set = [2]bool{}, 0
		t.apart()
	}
}

func (t *screen) control(s string, from int) int {
	end := from
	for end < len(s) && ' ' <= s[end] && s[end] <= '?' && end-from < longest {
		end++
	}
	if end == len(s) || s[end] < '@' || s[end] > '~' {
		return end
	}
	if given := s[from:end]; strings.Trim(given, "0123456789;:") == "" {
		t.obey(s[end], given)
	}
	return end + 1
}

func (t *screen) obey(final byte, given string) {
	n := 0
	if digits := given[:len(given)-len(strings.TrimLeft(given, "0123456789"))]; digits != "" {
		var err error
		if n, err = strconv.Atoi(digits); err != nil || n > 1e9 {
			n = 1e9
		}
	}
	count := max(n, 1)
	if final != 'm' {
		t.fresh = false
	}
	l := &t.lines[t.row]
	switch final {
	case 'A':
		t.move(t.row-count, t.col)
	case 'F':
		t.move(t.row-count, 0)
	case 'B', 'e':
		t.move(t.row+count, t.col)
	case 'E':
		t.move(t.row+count, 0)
	case 'C', 'a':
		t.move(t.row, t.col+count)
	case 'D':
		t.move(t.row, t.col-count)
	case 'G', '`':
		t.move(t.row, count-1)
	case 'K':
		switch n {
		case 0:
			t.cut()
		case 1:
			t.erase(0, min(t.col+1, l.n))
		case 2:
			*l = line{}
		}
	case 'J':
		if n > 1 {
			t.apart()
		} else if n == 0 {
			t.cut()
			t.lines = t.lines[:t.row+1]
		}
	case 'H', 'f', 'd':
		t.apart()
	case 'L':
		if t.moves(len(t.lines)) {
			t.lines = slices.Insert(t.lines, t.row, make([]line, min(count, widest))...)
		}
		t.col = 0
	case 'M':
		if t.moves(len(t.lines)) {
			t.lines = slices.Delete(t.lines, t.row, min(t.row+count, len(t.lines)))
		}
		if t.row == len(t.lines) {
			t.lines = append(t.lines, line{})
		}
		t.col = 0
	case 'b':
		if last := t.last; last != "" && t.moves(min(count, widest)) {
			for range min(count, widest) {
				t.put(last)
			}
		}
	case 'X':
		t.erase(t.col, t.col+count)
	case 'P':
		if t.col < l.n && t.moves(l.n) {
			l.apart()
			l.split(t.col)
			l.split(t.col + count)
			l.cells = slices.Delete(l.cells, t.col, min(t.col+count, l.n))
			l.n = len(l.cells)
		}
	case '@':
		if t.col < l.n && l.n < longestLine && t.moves(l.n) {
			l.apart()
			l.split(t.col)
			l.cells = slices.Insert(l.cells, t.col, slices.Repeat([]string{" "}, min(count, widest))...)
			l.n = len(l.cells)
		}
	case 's':
		t.single('7')
	case 'u':
		t.single('8')
	}
}

// skip passes over a text that is for the terminal only. It ends at the latest with its line, so that no output is lost
// for the want of an end.
func skip(s string, i int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '\n':
			return i
		case '\a', '\x18', '\x1a':
			return i + 1
		case esc:
			if strings.HasPrefix(s[i+1:], `\`) {
				return i + 2
			}
			return i
		case 0xc2: // the first byte of those from U+0080 on
			if strings.HasPrefix(s[i:], "\u009c") {
				return i + 2
			}
		}
	}
	return i
}

func (t *screen) move(row, col int) {
	t.fresh = false
	t.row = max(0, min(row, len(t.lines)-1))
	t.col = max(0, min(col, max(widest, t.lines[t.row].n)))
}

func (t *screen) newLine(col int) {
	t.fresh = false
	if t.row++; t.row == len(t.lines) {
		t.lines = append(t.lines, line{})
	}
	t.col = min(col, widest)
}

// apart begins a line of its own, below all others: where on the screen something is isn't known.
func (t *screen) apart() {
	if t.lines[len(t.lines)-1].n > 0 {
		t.lines = append(t.lines, line{})
	}
	t.row, t.col = len(t.lines)-1, 0
	if t.aside == 0 {
		t.aside = t.row + 1
	}
}

// print writes a character.
func (t *screen) print(char string) {
	if t.fresh {
		t.lines[t.row] = line{}
		t.fresh = false
	}
	if c := char[0]; '`' <= c && c <= '~' && t.draws[t.set] {
		char = string(drawing[c-'`'])
	}
	t.put(char)
}

func (t *screen) put(char string) {
	l := &t.lines[t.row]
	if t.col > l.n {
		t.erase(l.n, t.col)
	}
	r, _ := utf8.DecodeRuneInString(char)
	if r >= 0x300 && t.col > 0 && joins(r) {
		l.apart()
		if at := l.head(t.col - 1); at < len(l.cells) && len(l.cells[at]) < longestLine {
			l.cells[at] += char
			return
		}
	}
	t.last = char
	n := 1
	switch {
	case r == '\t':
		n = 8 - t.col%8
		if t.col < l.n { // a tab goes over what is there
			t.col += n
			return
		}
	case r >= 0x1100 && isWide(r):
		n = 2
	}
	if l.cells == nil && t.col == l.n && r < utf8.RuneSelf && n == 1 {
		l.plain = append(l.plain, char...)
	} else {
		l.apart()
		l.split(t.col)
		l.split(t.col + n)
		for i := range n {
			if t.col+i == len(l.cells) {
				l.cells = append(l.cells, "")
			}
			l.cells[t.col+i] = char
			char = ""
		}
	}
	t.col += n
	l.n = max(l.n, t.col)
}

// joins reports whether a character is drawn onto the one before it.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || r == 0x200d || 0x1f3fb <= r && r <= 0x1f3ff
}

// isWide reports whether a character takes two columns.
func isWide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// cut takes what is from the cursor on out of its line.
func (t *screen) cut() {
	l := &t.lines[t.row]
	if t.col >= l.n {
		return
	}
	l.apart()
	l.split(t.col)
	l.cells = l.cells[:t.col]
	l.n = t.col
}

// erase makes blanks from one column to another.
func (t *screen) erase(from, to int) {
	l := &t.lines[t.row]
	end := min(to, max(widest, l.n))
	if from < l.n && !t.moves(end-from) {
		return
	}
	l.apart()
	l.split(from)
	l.split(end)
	for len(l.cells) < end {
		l.cells = append(l.cells, " ")
	}
	for i := from; i < end; i++ {
		l.cells[i] = " "
	}
	l.n = len(l.cells)
}

// moves reports whether so many columns may be moved or erased.
func (t *screen) moves(columns int) bool {
	t.moved += columns
	return t.moved <= mostMoved
}

// apart takes a line apart into cells.
func (l *line) apart() {
	if l.cells != nil {
		return
	}
	l.cells = make([]string, 0, l.n+1)
	for i := range l.plain {
		l.cells = append(l.cells, string(l.plain[i:i+1]))
	}
	l.plain = nil
}

// head returns where the character begins that a column is of.
func (l *line) head(at int) int {
	for at > 0 && at < len(l.cells) && l.cells[at] == "" {
		at--
	}
	return at
}

// split makes blanks of a character that begins before a column and ends behind it.
func (l *line) split(at int) {
	if at < 0 || at >= len(l.cells) || l.cells[at] != "" {
		return
	}
	at = l.head(at)
	l.cells[at] = " "
	for at++; at < len(l.cells) && l.cells[at] == ""; at++ {
		l.cells[at] = " "
	}
}
