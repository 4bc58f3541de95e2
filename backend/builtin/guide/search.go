package guide

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"weft/backend/base/quantity"
	"weft/backend/builtin/folder"
)

const (
	filesShown = 8 // files of a search in an answer
	linesShown = 4 // matching lines per file
	namesShown = 40
)

type searchInput struct {
	Pattern    string `json:"pattern"`
	Literal    bool   `json:"literal,omitempty"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
}

func (a *answer) todos() error {
	found, err := use[folder.Found](a.turn, "search", searchInput{Pattern: `\b(TODO|FIXME|HACK|XXX)\b`})
	switch {
	case err != nil:
		return a.failed("search", err)
	case found.Total == 0:
		a.para("No TODO, FIXME, HACK or XXX found in %s.", quantity.Count(found.Scanned, "file", "files"))
	default:
		a.para("**%s in %s**", quantity.Count(found.Total, "note", "notes"), quantity.Count(found.Files, "file", "files"))
		a.show(found, byFile(found.Matches))
	}
	return nil
}

// find looks for files with a name and for a text. If nothing contains the text, it looks for the words of it.
func (a *answer) find(subject string) error {
	pattern := subject
	isPattern := strings.ContainsAny(subject, "*?")
	if !isPattern {
		pattern = "*" + globEscape.Replace(subject) + "*"
	}
	if isPattern || !strings.ContainsAny(subject, " /") {
		names, err := use[folder.Listing](a.turn, "glob", globInput{pattern})
		if err != nil {
			return a.failed("look for files", err)
		}
		a.names(names)
		if isPattern {
			if len(names.Entries) == 0 {
				a.para("No file matches %s.", tick(subject))
			}
			return nil
		}
	}
	found, err := use[folder.Found](a.turn, "search", searchInput{Pattern: subject, Literal: true, IgnoreCase: true})
	if err != nil {
		return a.failed("search", err)
	}
	if found.Total > 0 {
		a.para("**%s in %s**", quantity.Count(found.Total, "match", "matches"), quantity.Count(found.Files, "file", "files"))
		a.show(found, byFile(found.Matches))
		return nil
	}
	words := significant(subject, 4)
	if len(words) < 2 {
		a.para("No match found for %s in %s.", tick(subject), quantity.Count(found.Scanned, "file", "files"))
		return nil
	}
	return a.findWords(subject, words)
}

// findWords shows the files that contain any of the words; those with most of them come first.
func (a *answer) findWords(subject string, words []string) error {
	a.para("No file contains %s, so I'll search for its words.", tick(subject))
	alternatives := make([]string, len(words))
	for i, w := range words {
		alternatives[i] = regexp.QuoteMeta(w)
	}
	found, err := use[folder.Found](a.turn, "search", searchInput{Pattern: strings.Join(alternatives, "|"), IgnoreCase: true})
	if err != nil {
		return a.failed("search", err)
	}
	if found.Total == 0 {
		a.para("No match found.")
		return nil
	}
	files := byFile(found.Matches)
	slices.SortStableFunc(files, func(x, y []folder.Match) int {
		return cmp.Or(contained(y, words)-contained(x, words), len(y)-len(x))
	})
	a.para("**%s found in %s**, best matches first", quantity.Count(len(words), "word", "words"), quantity.Count(found.Files, "file", "files"))
	a.show(found, files)
	return nil
}

func contained(matches []folder.Match, words []string) (n int) {
	for _, w := range words {
		if slices.ContainsFunc(matches, func(m folder.Match) bool {
			return strings.Contains(strings.ToLower(m.Text), strings.ToLower(w))
		}) {
			n++
		}
	}
	return n
}

// byFile groups matches by their file.
func byFile(matches []folder.Match) [][]folder.Match {
	var out [][]folder.Match
	for _, m := range matches {
		if n := len(out); n > 0 && out[n-1][0].Path == m.Path {
			out[n-1] = append(out[n-1], m)
		} else {
			out = append(out, []folder.Match{m})
		}
	}
	return out
}

// show shows the first matching lines of the first files.
func (a *answer) show(found folder.Found, files [][]folder.Match) {
	for _, matches := range files[:min(len(files), filesShown)] {
		var b strings.Builder
		for _, m := range matches[:min(len(matches), linesShown)] {
			fmt.Fprintf(&b, "%5d  %s\n", m.Line, m.Text)
		}
		more := ""
		if n := len(matches) - linesShown; n > 0 {
			more = fmt.Sprintf(" · %d more", n)
		}
		a.para("%s%s\n%s", tick(matches[0].Path), more, code(matches[0].Path, b.String()))
	}
	if n := max(found.Files, len(files)) - filesShown; n > 0 {
		a.para("… and %s.", quantity.Count(n, "more file", "more files"))
	}
	if found.Stopped {
		a.para("I stopped after %s, so there may be more.", quantity.Count(found.Scanned, "file", "files"))
	}
}

func (a *answer) names(l folder.Listing) {
	if len(l.Entries) == 0 {
		return
	}
	var items []string
	for _, e := range l.Entries[:min(len(l.Entries), namesShown)] {
		item := tick(e.Path)
		if e.Dir {
			item = tick(e.Path + "/")
		}
		items = append(items, item)
	}
	if n := len(l.Entries) - len(items); n > 0 {
		items = append(items, fmt.Sprintf("… and %d more", n))
	}
	a.para("**%s by name**", quantity.Count(len(l.Entries), "match", "matches"))
	a.list(items)
}

// code returns text as a fenced block that the text can't close.
func code(file, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + strings.TrimPrefix(path.Ext(file), ".") + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// tick returns a name as inline code.
func tick(s string) string {
	s = strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// plain escapes what Markdown would read as markup in the text of a file.
func plain(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]", `\]`, "|", `\|`, "\n", " ").Replace(s)
}

func sentence(err error) string { return strings.TrimSuffix(err.Error(), ".") }

func firstLines(text string, n int) string {
	at := 0
	for range n {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text
		}
		at += i + 1
	}
	return text[:at]
}
