package toolcalls

import (
	"hash/maphash"
	"slices"
	"strings"

	"weft/backend/transcript"
)

// maxLineReads is how many files are read for the lines of diffs in a run.
const maxLineReads = 1000

// lines are those at which diffs of a part of a file begin.
type lines struct {
	known map[uint64]line
	reads int
}

// line is what is known of one diff.
type line struct {
	at    int  // from 1; 0 if it is not known, or the first one
	final bool // it was found, or the call has ended
}

// part is a diff of a part of a file whose line is not known.
type part struct {
	key            uint64
	path, old, now string
	ended          bool // the call has
	line           line // found
}

func isPart(c transcript.Content) bool {
	return c.Type == "diff" && c.OldText != "" && c.Path != ""
}

// withLines returns a report with the line at which each of its diffs begins, as far as that is known, and notes in l, unless it is nil, which
// have to be looked for.
func (c *Changes) withLines(p *transcript.ToolPatch, l *Look) *transcript.ToolPatch {
	if !slices.ContainsFunc(*p.Content, isPart) {
		return p
	}
	list := slices.Clone(*p.Content)
	ended := p.Status != nil && p.Status.Ended()
	changed := false
	for i := range list {
		if !isPart(list[i]) {
			continue
		}
		key := keyOf(&list[i])
		known, ok := c.lines.known[key]
		if list[i].Line != known.at {
			list[i].Line, changed = known.at, true
		}
		if l != nil && (!ok || !known.final && ended) && c.lines.reads < maxLineReads {
			c.lines.reads++
			l.parts = append(l.parts, part{key: key, path: list[i].Path, old: list[i].OldText, now: list[i].NewText, ended: ended})
		}
	}
	if !changed {
		return p
	}
	told := *p
	told.Content = &list
	return &told
}

// learn takes over the lines that were found.
func (n *lines) learn(l *Look) {
	if n.known == nil && len(l.parts) > 0 {
		n.known = map[uint64]line{}
	}
	for i := range l.parts {
		if p := &l.parts[i]; !n.known[p.key].final {
			n.known[p.key] = p.line
		}
	}
}

func keyOf(c *transcript.Content) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for _, s := range []string{c.Path, c.OldText, c.NewText} {
		_, _ = h.WriteString(s)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// find looks for the line of the file at which the diff begins. It is certain only if the old text, or after the change the new one, is in the
// file exactly once. A diff that is not found is looked for once more when the call has ended.
func (p *part) find(folder string, disk Disk) {
	at := 0
	if text, ok := disk.Text(fullIn(folder, p.path)); ok {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		if at = onlyLine(text, p.old); at == 0 {
			at = onlyLine(text, p.now)
		}
	}
	if p.line = (line{at: at, final: at > 0 || p.ended}); at == 1 {
		p.line.at = 0
	}
}

// onlyLine returns the line at which a part of a text begins that is in it exactly once, else 0.
func onlyLine(text, part string) int {
	part = strings.ReplaceAll(part, "\r\n", "\n")
	at := strings.Index(text, part)
	if part == "" || at < 0 || strings.Contains(text[at+1:], part) {
		return 0
	}
	return strings.Count(text[:at], "\n") + 1
}
