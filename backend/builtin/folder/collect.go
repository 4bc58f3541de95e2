package folder

import (
	"strings"
	"unicode/utf8"
)

// collector builds the matches of a search from lines, file after file and in order.
type collector struct {
	context int
	out     *Found

	path   string
	any    bool   // the file has a match
	kept   *Match // its last kept match, which gets the lines after it
	line   int    // number of its last match
	before []string
}

func (c *collector) begin(path string) {
	c.path, c.any, c.kept, c.line, c.before = path, false, nil, 0, nil
}

func (c *collector) match(n int, line []byte) {
	if !c.any {
		c.any = true
		c.out.Files++
	}
	c.out.Total++
	c.line = n
	if len(c.out.Matches) < MaxMatches {
		c.out.Matches = append(c.out.Matches, Match{Path: c.path, Line: n, Text: shown(line, c.context > 0), Before: c.before})
		c.kept = &c.out.Matches[len(c.out.Matches)-1]
	} else {
		c.kept = nil
	}
	c.before = nil
}

// near handles a line that didn't match.
func (c *collector) near(n int, line []byte) {
	if c.any && n <= c.line+c.context {
		if c.kept != nil {
			c.kept.After = append(c.kept.After, shown(line, true))
		}
		return
	}
	if c.before = append(c.before, shown(line, true)); len(c.before) > c.context {
		c.before = c.before[1:]
	}
}

func shown(line []byte, indented bool) string {
	text := strings.ToValidUTF8(string(line[:min(len(line), 4*maxLineShown)]), "\uFFFD")
	if indented {
		text = strings.TrimRight(text, " \t\r")
	} else {
		text = strings.TrimSpace(text)
	}
	if len(text) <= maxLineShown {
		return text
	}
	cut := maxLineShown
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
		if n > 1 && line[n-2] == '\r' {
			line = line[:n-2]
		}
	}
	return line
}
