package folder

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of one search.
const (
	MaxMatches     = 200       // matches kept; all are counted
	maxSearchSize  = 4 << 20   // larger files are skipped
	maxSearchBytes = 512 << 20 // bytes read before a search stops
	maxLineShown   = 240       // bytes of a matching line that are kept
)

// Query is what to search for.
type Query struct {
	Pattern string `json:"pattern"`
	Regexp  bool   `json:"regexp,omitempty"` // Go syntax; otherwise Pattern is plain text
	Case    bool   `json:"caseSensitive,omitempty"`
	Glob    string `json:"glob,omitempty"` // only files that match
	Title   string `json:"-"`              // what is looked for in words, where Pattern does not read well
}

// Match is one line that matched.
type Match struct {
	Path string `json:"path"`
	Line int    `json:"line"` // counted from 1
	Text string `json:"text"` // the line, without indentation, cut to a readable length
}

// Found is the result of a search. Matches are in the order of the listing.
type Found struct {
	Matches  []Match `json:"matches"`
	Total    int     `json:"total"`   // all matching lines, also those not kept
	Files    int     `json:"files"`   // files with a match
	Scanned  int     `json:"scanned"` // files searched
	Binary   int     `json:"binary,omitempty"`
	TooLarge int     `json:"tooLarge,omitempty"`
	Stopped  bool    `json:"stopped,omitempty"` // a bound was reached; there may be more
}

// Search looks for lines that match, in all text files that .gitignore does not exclude. It returns what it
// found so far together with ctx's error if ctx ends.
func (f *Folder) Search(ctx context.Context, q Query) (Found, error) {
	match, err := q.matcher()
	if err != nil {
		return Found{}, err
	}
	listing, err := f.List(ctx, ".")
	if err != nil {
		return Found{}, err
	}
	out := Found{Matches: []Match{}, Stopped: listing.Stopped}
	var read int64
	for _, e := range listing.Entries {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		switch {
		case e.Dir || e.Link || !q.covers(e.Path):
			continue
		case e.Size > maxSearchSize:
			out.TooLarge++
			continue
		case read > maxSearchBytes:
			out.Stopped = true
			return out, nil
		}
		read += e.Size
		f.searchFile(e.Path, match, &out)
	}
	return out, nil
}

func (q Query) covers(rel string) bool {
	if q.Glob == "" {
		return true
	}
	glob := strings.ToLower(q.Glob)
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return doublestar.MatchUnvalidated(glob, strings.ToLower(rel))
}

func (q Query) matcher() (func([]byte) bool, error) {
	pattern := q.Pattern
	if pattern == "" {
		return nil, fmt.Errorf("nothing to search for")
	}
	if !q.Regexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	if !q.Case {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern %q is not a valid regular expression: %w", q.Pattern, err)
	}
	return re.Match, nil
}

// searchFile adds the matches of one file. A file that cannot be read is passed over, as a search over a
// tree that changes meanwhile has to.
func (f *Folder) searchFile(rel string, match func([]byte) bool, out *Found) {
	file, _, err := f.openRegular(rel)
	if err != nil {
		return
	}
	defer file.Close()
	in := bufio.NewReaderSize(io.LimitReader(file, maxSearchSize), 64<<10)
	if head, _ := in.Peek(sniffBytes); isBinary(head) {
		out.Binary++
		return
	}
	out.Scanned++
	before, last := out.Total, 0
	_ = eachLine(in, func(n int, part []byte, first bool) {
		if n == last || !match(part) {
			return
		}
		last = n
		out.Total++
		if len(out.Matches) < MaxMatches {
			out.Matches = append(out.Matches, Match{Path: rel, Line: n, Text: shown(part)})
		}
	})
	if out.Total > before {
		out.Files++
	}
}

func shown(line []byte) string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(line), "\uFFFD"))
	if len(text) <= maxLineShown {
		return text
	}
	cut := maxLineShown
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
