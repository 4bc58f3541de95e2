package toolcalls

import (
	"hash/maphash"
	"slices"
	"strings"

	"weft/backend/conversation/transcript"
)

// maxLineReads limits how many files are read per run to find the lines of diffs.
const maxLineReads = 1000

// lines are the line numbers of diffs that show only a part of a file.
type lines struct {
	known map[uint64]line
	reads int
}

// line is the line number of one diff.
type line struct {
	at    int  // 1-based; 0 if it is unknown or the first line
	final bool // it was found, or the call has ended
}

// part is a diff of a part of a file at an unknown line.
type part struct {
	key            uint64
	path, old, now string
	ended          bool // the call has ended
	line           line // result
}

func isPart(c transcript.Content) bool {
	return c.Type == "diff" && c.OldText != "" && c.Path != ""
}

// withLines returns a report with the known line numbers of its diffs. If l isn't nil, it adds the diffs whose lines
// must be searched to l.
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
		if l != nil && (!ok || !known.final && ended) && c.lines.reads+len(l.parts) < maxLineReads {
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

// learn stores the line numbers that were found.
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

// find searches the line at which the diff begins. The result is certain only if the old text, or the new text after
// the change, is in the file exactly once. A diff that isn't found is searched again when the call has ended.
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

// onlyLine returns the line at which part begins in text, or 0 if it doesn't occur exactly once.
func onlyLine(text, part string) int {
	part = strings.ReplaceAll(part, "\r\n", "\n")
	at := strings.Index(text, part)
	if part == "" || at < 0 || strings.Contains(text[at+1:], part) {
		return 0
	}
	return strings.Count(text[:at], "\n") + 1
}
