package folder

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of one search.
const (
	MaxMatches     = 200       // matches kept; all are counted
	MaxContext     = 10        // lines around a match
	maxCounted     = 100_000   // matches counted before a search stops
	maxSearchSize  = 4 << 20   // larger files are skipped
	maxSearchBytes = 512 << 20 // bytes read before a search stops
	maxLineShown   = 240       // bytes of a matching line that are kept
)

// Query is a search query.
type Query struct {
	Pattern string `json:"pattern"`
	Regexp  bool   `json:"regexp,omitempty"` // Go syntax, line by line; otherwise Pattern is plain text
	Case    bool   `json:"caseSensitive,omitempty"`
	Glob    string `json:"glob,omitempty"`    // only files that match
	Dir     string `json:"dir,omitempty"`     // only below this directory, or this one file
	Context int    `json:"context,omitempty"` // lines before and after each match, at most MaxContext
}

// Match is one line that matched.
type Match struct {
	Path string `json:"path"`
	Line int    `json:"line"` // counted from 1
	Text string `json:"text"` // the truncated line; without indentation if there is no context
	// Before and After are the lines around it, except those that belong to the previous match.
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// Found is the result of a search. Matches are in the order of the listing.
type Found struct {
	Matches  []Match `json:"matches"`
	Total    int     `json:"total"`   // all matching lines, including those not kept
	Files    int     `json:"files"`   // files with a match
	Scanned  int     `json:"scanned"` // text files searched
	Binary   int     `json:"binary,omitempty"`
	TooLarge int     `json:"tooLarge,omitempty"`
	Stopped  bool    `json:"stopped,omitempty"` // a limit was reached; there may be more
}

// Search looks for matching lines in all text files that .gitignore doesn't exclude. If ctx ends, it returns what
// it has found so far and ctx's error. For an invalid pattern its error says what is wrong with it.
//
// It uses ripgrep if that is installed. This package always selects the files, so that the results are the same.
func (f *Folder) Search(ctx context.Context, q Query) (Found, error) {
	q.Context = min(max(q.Context, 0), MaxContext)
	re, err := q.parse()
	if err != nil {
		return Found{}, err
	}
	s, err := f.newSearch(ctx, q)
	if err != nil {
		return Found{}, err
	}
	if pattern, ok := portable(re); ok {
		if rg := f.ripgrep(); rg.program != "" {
			found, err := s.ripgrep(ctx, rg, pattern)
			if !errors.Is(err, errRipgrep) {
				return found, err
			}
		}
	}
	own, err := regexp.Compile(re.String())
	if err != nil {
		return Found{}, fmt.Errorf("the pattern %q isn't a valid regular expression: %w", q.Pattern, err)
	}
	return s.own(ctx, own)
}

// ripgrep returns ripgrep for this folder.
func (f *Folder) ripgrep() ripgrep {
	if f.withoutRipgrep {
		return ripgrep{}
	}
	return ripgrep{program: lookRipgrep(), dir: f.path}
}

// newSearch selects the files for a query.
func (f *Folder) newSearch(ctx context.Context, q Query) (*search, error) {
	dir := q.Dir
	if dir == "" {
		dir = "."
	}
	info, err := f.Stat(dir)
	if err != nil {
		return nil, err
	}
	var listing Listing
	if info.IsDir() {
		listing, err = f.List(ctx, dir)
	} else {
		listing.add(Entry{Path: dir, Size: info.Size()})
		listing, err = f.permitted(ctx, "search", listing)
	}
	if err != nil {
		return nil, err
	}
	s := &search{disk: f.disk, context: q.Context, start: Found{Matches: []Match{}, Stopped: listing.Stopped}}
	var size int64
	for _, e := range listing.Entries {
		switch {
		case e.Dir || e.Link || !q.covers(e.Path):
			continue
		case e.Size > maxSearchSize:
			s.start.TooLarge++
			continue
		case size > maxSearchBytes:
			s.start.Stopped = true
			return s, nil
		}
		size += e.Size
		s.files = append(s.files, e.Path)
	}
	return s, nil
}

func (q Query) covers(rel string) bool {
	if q.Glob == "" {
		return true
	}
	glob := strings.ToLower(strings.TrimPrefix(q.Glob, "./"))
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return doublestar.MatchUnvalidated(glob, strings.ToLower(rel))
}

// parse parses the pattern. Lines are matched without their line ends, so ^ and $ match the ends of the line.
func (q Query) parse() (*syntax.Regexp, error) {
	pattern := q.Pattern
	if pattern == "" {
		return nil, fmt.Errorf("nothing to search for")
	}
	flags := syntax.Perl &^ syntax.OneLine
	if !q.Regexp {
		flags |= syntax.Literal
	}
	if !q.Case {
		flags |= syntax.FoldCase
	}
	re, err := syntax.Parse(pattern, flags)
	var serr *syntax.Error
	if errors.As(err, &serr) {
		at := ""
		if i := strings.Index(pattern, serr.Expr); serr.Expr != "" && serr.Expr != pattern && i >= 0 {
			at = fmt.Sprintf(" at %q (character %d)", serr.Expr, utf8.RuneCountInString(pattern[:i])+1)
		}
		return nil, fmt.Errorf("the pattern %q isn't a valid regular expression: %s%s", pattern, serr.Code, at)
	}
	return re, err
}

// search is one search in selected files.
type search struct {
	disk    disk
	context int // lines around a match
	files   []string
	start   Found // the initial result, with what was left out
}

// own searches without ripgrep.
func (s *search) own(ctx context.Context, re *regexp.Regexp) (Found, error) {
	out := s.start
	c := collector{context: s.context, out: &out}
	for _, rel := range s.files {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if out.Total >= maxCounted {
			out.Stopped = true
			return out, nil
		}
		s.file(rel, re, &c)
	}
	return out, nil
}

// file adds the matches of one file. It ignores a file that can't be read, because the tree may change during the
// search.
func (s *search) file(rel string, re *regexp.Regexp, c *collector) {
	file, _, err := s.disk.open(rel)
	if err != nil {
		return
	}
	defer file.Close()
	in := bufio.NewReaderSize(io.LimitReader(file, maxSearchSize), 64<<10)
	if head, _ := in.Peek(sniffBytes); isBinary(head) {
		c.out.Binary++
		return
	}
	c.out.Scanned++
	c.begin(rel)
	last := 0
	_ = eachLine(in, func(n int, part []byte, first bool) {
		part = trimEnd(part)
		switch {
		case n != last && re.Match(part):
			last = n
			c.match(n, part)
		case first && c.context > 0:
			c.near(n, part)
		}
	})
}
