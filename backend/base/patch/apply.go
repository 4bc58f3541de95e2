package patch

import (
	"errors"
	"strings"
)

// ErrMisfit means that a patch can't be applied: the file has other lines, or the patch doesn't say where to change it.
var ErrMisfit = errors.New("the patch doesn't fit the file")

// maxSteps is the maximum number of line comparisons per file.
const maxSteps = 8 << 20

// Apply returns the patched text. The error is [ErrMisfit].
func (f *File) Apply(old string) (string, error) {
	if f.Opaque {
		return "", ErrMisfit
	}
	switch f.Op {
	case Add:
		return f.added(), nil
	case Delete:
		return "", nil
	case Update:
	}
	t := text{lines: strings.Split(old, "\n"), left: maxSteps}
	for _, l := range t.lines {
		if strings.HasSuffix(l, "\r") {
			t.crs++
		}
	}
	for i := range f.Hunks {
		if !t.apply(&f.Hunks[i], f.own) {
			return "", ErrMisfit
		}
	}
	t.out = append(t.out, t.lines[t.next:]...)
	return strings.Join(t.out, "\n"), nil
}

// Revert returns the text before the patch was applied. The error is [ErrMisfit], also if the text can't be recovered.
func (f *File) Revert(now string) (string, error) {
	switch {
	case f.Opaque, f.Op == Delete && len(f.Hunks) == 0:
		return "", ErrMisfit
	case f.Op == Delete:
		return strings.Join(f.Hunks[0].side('+'), "\n") + "\n", nil
	case f.Op == Add:
		if strings.ReplaceAll(now, "\r\n", "\n") != f.added() {
			return "", ErrMisfit
		}
		return "", nil
	}
	return f.reversed().Apply(now)
}

// added returns the text of an added file.
func (f *File) added() string {
	var b strings.Builder
	for i := range f.Hunks {
		h := &f.Hunks[i]
		for _, l := range h.side('-') {
			b.WriteString(l + "\n")
		}
		if h.Bare {
			return strings.TrimSuffix(b.String(), "\n")
		}
	}
	return b.String()
}

// text is a file to which hunks are applied in order. Its last line is the text after the last line break.
type text struct {
	lines []string
	next  int // the first line that isn't in out yet
	out   []string
	crs   int // lines that end with CRLF
	left  int // remaining comparisons
}

// apply applies one hunk. It returns false if the hunk doesn't fit after the previous ones.
func (t *text) apply(h *Hunk, own bool) bool {
	old := h.side('+')
	from := t.next
	for _, mark := range h.Marks {
		at := t.seek([]string{mark}, from, own, false)
		if at < 0 {
			return false
		}
		from = at + 1
	}
	var at int
	switch {
	case len(old) == 0 && h.At > 0:
		if at = h.At - 1; at < t.next || at > len(t.lines) {
			return false
		}
	case len(old) == 0 && len(t.lines) == 1 && t.lines[0] == "": // an empty file
		at = 0
	case len(old) == 0 && h.End:
		if at = len(t.lines); t.lines[at-1] == "" {
			at--
		}
	case len(old) == 0:
		return false // agents insert such lines at different places
	case h.At > 0:
		at = t.nearest(old, from, h.At-1)
	default:
		at = t.seek(old, from, own, h.End)
	}
	if at < 0 {
		return false
	}
	t.out = append(t.out, t.lines[t.next:at]...)
	t.out = append(t.out, t.replacement(h, at)...)
	t.next = at + len(old)
	if h.Closes && t.next == len(t.lines) {
		t.out = append(t.out, "")
	}
	if h.Bare && t.next == len(t.lines)-1 && t.lines[t.next] == "" {
		t.next++
	}
	return true
}

// replacement returns what a hunk replaces the lines from at on with. Context lines that differ only in whitespace or
// typography get the hunk's text. New lines get the line ends of the file.
func (t *text) replacement(h *Hunk, at int) []string {
	var out []string
	cr := ""
	if 2*t.crs > len(t.lines)-1 || at < len(t.lines) && strings.HasSuffix(t.lines[at], "\r") {
		cr = "\r"
	}
	i := at
	for _, l := range h.Lines {
		switch l.Kind {
		case '-':
			i++
		case '+':
			out = append(out, l.Text+cr)
		default:
			if was := t.lines[i]; strings.TrimSuffix(was, "\r") == l.Text {
				out = append(out, was)
			} else if strings.HasSuffix(was, "\r") {
				out = append(out, l.Text+"\r")
			} else {
				out = append(out, l.Text)
			}
			i++
		}
	}
	if n := len(out); n > 0 && i == len(t.lines) && (at < len(t.lines) && t.lines[len(t.lines)-1] != "" || h.Bare) {
		out[n-1] = strings.TrimSuffix(out[n-1], "\r") // no line break follows
	}
	return out
}

// alike are the ways to compare lines, strictest first.
var alike = []func(file, patch string) bool{
	func(a, b string) bool { return strings.TrimSuffix(a, "\r") == b },
	func(a, b string) bool { return strings.TrimRight(a, " \t\r") == strings.TrimRight(b, " \t") },
	func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) },
	func(a, b string) bool {
		return strings.TrimSpace(plainer.Replace(a)) == strings.TrimSpace(plainer.Replace(b))
	},
}

// plainer replaces typographic characters with ASCII, as models write them.
var plainer = strings.NewReplacer("\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-", "\u2212", "-",
	"\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'", "\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u201f", `"`,
	"\u00a0", " ", "\u2002", " ", "\u2003", " ", "\u2009", " ", "\u202f", " ", "\u3000", " ")

// seek returns the index from from on where lines are, or -1. With end they must be at the end of the file, not
// counting its last line break.
func (t *text) seek(lines []string, from int, own, end bool) int {
	for level, same := range alike {
		if !own && level > 1 {
			break
		}
		if end {
			for _, at := range []int{len(t.lines) - len(lines) - 1, len(t.lines) - len(lines)} {
				if at >= from && (at+len(lines) == len(t.lines) || t.lines[len(t.lines)-1] == "") && t.match(lines, at, same) {
					return at
				}
			}
			continue
		}
		for at := from; at+len(lines) <= len(t.lines); at++ {
			if t.match(lines, at, same) {
				return at
			}
		}
	}
	return -1
}

// nearest returns the index nearest to want where lines are, or -1.
func (t *text) nearest(lines []string, from, want int) int {
	last := len(t.lines) - len(lines)
	for _, same := range alike[:2] {
		for off := 0; want-off >= from || want+off <= last; off++ {
			if at := want - off; at >= from && at <= last && t.match(lines, at, same) {
				return at
			}
			if at := want + off; at >= from && at <= last && t.match(lines, at, same) {
				return at
			}
		}
	}
	return -1
}

func (t *text) match(lines []string, at int, same func(a, b string) bool) bool {
	if at < 0 {
		return false
	}
	for i, l := range lines {
		if t.left--; t.left < 0 || !same(t.lines[at+i], l) {
			return false
		}
	}
	return true
}
