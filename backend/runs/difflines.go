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
	known map[uint64]int
	reads int
}

// withLines is what an agent tells of a call with the line at which each of its diffs begins, where that is certain: the old text, or after
// the change the new one, is in the file exactly once. The mutex is held.
func (l *link) withLines(p *transcript.ToolPatch) *transcript.ToolPatch {
	if p.Content == nil || l.config.Own() || l.discard || l.s.turns.Replaying() || !slices.ContainsFunc(*p.Content, isFragment) {
		return p
	}
	list := slices.Clone(*p.Content)
	for i := range list {
		if isFragment(list[i]) {
			list[i].Line = l.lineOf(&list[i])
		}
	}
	told := *p
	told.Content = &list
	return &told
}

func isFragment(c transcript.Content) bool {
	return c.Type == "diff" && c.OldText != "" && c.Path != ""
}

// lineOf is the line of the file at which a diff begins, from 1; 0 where that is not known or the first one.
func (l *link) lineOf(c *transcript.Content) int {
	var h maphash.Hash
	h.SetSeed(patchSeed)
	for _, s := range []string{c.Path, c.OldText, c.NewText} {
		_, _ = h.WriteString(s)
		_ = h.WriteByte(0)
	}
	key := h.Sum64()
	if line, ok := l.lines.known[key]; ok {
		return line
	}
	if l.lines.reads >= maxDiffReads {
		return 0
	}
	l.lines.reads++
	text, fresh := l.current(l.full(c.Path))
	if fresh {
		return 0
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	line := onlyLine(text, c.OldText)
	if line == 0 {
		line = onlyLine(text, c.NewText)
	}
	switch line {
	case 0:
		return 0 // the file may not be as the diff says yet
	case 1:
		line = 0
	}
	if l.lines.known == nil {
		l.lines.known = map[uint64]int{}
	}
	l.lines.known[key] = line
	return line
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
