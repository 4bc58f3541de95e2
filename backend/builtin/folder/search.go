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

// Query is what to search for.
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
	Text string `json:"text"` // the line, cut to a readable length; without indentation where no context was asked for
	// Before and After are the lines around it, as far as they are not already with the match above.
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// Found is the result of a search. Matches are in the order of the listing.
type Found struct {
	Matches  []Match `json:"matches"`
	Total    int     `json:"total"`   // all matching lines, also those not kept
	Files    int     `json:"files"`   // files with a match
	Scanned  int     `json:"scanned"` // text files searched
	Binary   int     `json:"binary,omitempty"`
	TooLarge int     `json:"tooLarge,omitempty"`
	Stopped  bool    `json:"stopped,omitempty"` // a bound was reached; there may be more
}

// PatternError is a pattern that is no regular expression.
type PatternError struct {
	Pattern string
	Part    string // of the pattern, where it goes wrong; may be empty
	Reason  string // "missing closing )"
}

func (e *PatternError) Error() string {
	text := fmt.Sprintf("the pattern %q isn't a valid regular expression: %s", e.Pattern, e.Reason)
	if i := strings.Index(e.Pattern, e.Part); e.Part != "" && e.Part != e.Pattern && i >= 0 {
		text += fmt.Sprintf(" at %q (character %d)", e.Part, utf8.RuneCountInString(e.Pattern[:i])+1)
	}
	return text
}

// Search looks for lines that match, in all text files that .gitignore does not exclude. It returns what it
// found so far together with ctx's error if ctx ends. A pattern that does not compile is a *[PatternError].
//
// Where ripgrep is installed it does the reading; which files are read is decided here, so that both ways find
// the same.
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
		return Found{}, &PatternError{Pattern: q.Pattern, Reason: err.Error()}
	}
	return s.own(ctx, own)
}

// ripgrep returns the program as it searches this folder.
func (f *Folder) ripgrep() ripgrep {
	if f.withoutRipgrep {
		return ripgrep{}
	}
	return ripgrep{program: lookRipgrep(), dir: f.path}
}

// newSearch chooses the files that a query covers.
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

// parse reads the pattern. Lines are matched without their ends, so ^ and $ are those of the line.
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
		return nil, &PatternError{Pattern: pattern, Part: serr.Expr, Reason: serr.Code.String()}
	}
	return re, err
}

// search is one search of files that were chosen for it.
type search struct {
	disk    disk
	context int // lines around a match
	files   []string
	start   Found // says what was left out; each way to search begins with it
}

// own searches without the help of another program.
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

// file adds the matches of one file. A file that cannot be read is passed over, as a search over a
// tree that changes meanwhile has to.
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
