package runs

import (
	"hash/maphash"
	"slices"
	"strings"

	"weft/backend/transcript"
)

// maxDiffReads is how many files are read for the lines of diffs in a run.
const maxDiffReads = 1000

// diffLines are the lines at which diffs begin that agents cut out of a file.
type diffLines struct {
	known map[uint64]diffLine
	reads int
}

// diffLine is what is known of one diff.
type diffLine struct {
	line  int
	final bool // it was found, or the call has ended
}

// withLines is what an agent tells of a call with the line at which each of its diffs begins, where that is certain: the old text, or after
// the change the new one, is in the file exactly once. The mutex is held.
func (l *link) withLines(p *transcript.ToolPatch) *transcript.ToolPatch {
	if p.Content == nil || l.config.Own() || l.discard || l.s.turns.Replaying() || !slices.ContainsFunc(*p.Content, isFragment) {
		return p
	}
	list := slices.Clone(*p.Content)
	ended := p.Status != nil && p.Status.Ended()
	for i := range list {
		if isFragment(list[i]) {
			list[i].Line = l.lineOf(&list[i], ended)
		}
	}
	told := *p
	told.Content = &list
	return &told
}

func isFragment(c transcript.Content) bool {
	return c.Type == "diff" && c.OldText != "" && c.Path != ""
}

// lineOf is the line of the file at which a diff begins, from 1; 0 where that is not known or the first one. Where it is not found, the file is
// read once more when the call has ended.
func (l *link) lineOf(c *transcript.Content, ended bool) int {
	var h maphash.Hash
	h.SetSeed(patchSeed)
	for _, s := range []string{c.Path, c.OldText, c.NewText} {
		_, _ = h.WriteString(s)
		_ = h.WriteByte(0)
	}
	key := h.Sum64()
	if at, ok := l.lines.known[key]; ok && (at.final || !ended) {
		return at.line
	}
	if l.lines.reads >= maxDiffReads {
		return 0
	}
	l.lines.reads++
	line := 0
	if text, fresh := l.current(l.full(c.Path)); !fresh {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		if line = onlyLine(text, c.OldText); line == 0 {
			line = onlyLine(text, c.NewText)
		}
	}
	at := diffLine{line: line, final: line > 0 || ended}
	if line == 1 {
		at.line = 0
	}
	if l.lines.known == nil {
		l.lines.known = map[uint64]diffLine{}
	}
	l.lines.known[key] = at
	return at.line
}

// onlyLine is the line at which a part of a text begins that is in it exactly once, else 0.
func onlyLine(text, part string) int {
	part = strings.ReplaceAll(part, "\r\n", "\n")
	at := strings.Index(text, part)
	if part == "" || at < 0 || strings.Contains(text[at+1:], part) {
		return 0
	}
	return strings.Count(text[:at], "\n") + 1
}
