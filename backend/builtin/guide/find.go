package guide

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/outline"
)

const (
	filesShown = 6 // files with matches in an answer
	linesShown = 4 // matching lines per file
)

// group is the matches of one file.
type group struct {
	path    string
	matches []folder.Match
}

func grouped(matches []folder.Match) []group {
	var out []group
	for _, m := range matches {
		if n := len(out); n > 0 && out[n-1].path == m.Path {
			out[n-1].matches = append(out[n-1].matches, m)
		} else {
			out = append(out, group{m.Path, []folder.Match{m}})
		}
	}
	return out
}

func (a *answer) find() error {
	subject := a.in.Subject
	a.para("I’ll search %s for %s.", tick(a.req.Folder), tick(subject))
	var names folder.Listing
	if !strings.ContainsAny(subject, " /*?[]{}\\") {
		var err error
		if names, err = a.Glob(a.ctx, "*"+subject+"*"); err != nil {
			return a.failed(err, "list the files")
		}
	}
	found, err := a.Search(a.ctx, folder.Query{Pattern: subject})
	if err != nil {
		return a.failed(err, "search")
	}
	if len(names.Entries) > 0 {
		a.para("By name: %s.", someEntries(names))
	}
	if found.Total == 0 {
		return a.findWords(subject, found, len(names.Entries) > 0)
	}
	a.para("**%s in %s.**%s", count(found.Total, "match", "matches"), count(found.Files, "file", "files"), bounds(found))
	groups := grouped(found.Matches)
	def, ok, err := a.definition(subject, found)
	if err != nil {
		return err
	}
	if ok {
		if err := a.showDefinition(def); err != nil {
			return err
		}
		// The declaring line was shown; its file is repeated only for other matches.
		groups = slices.DeleteFunc(groups, func(g group) bool { return g.path == def.Path && len(g.matches) == 1 })
		if len(groups) == 0 {
			return nil
		}
		a.para("It also occurs here:")
	}
	rankGroups(groups, subject, def.Path)
	files := len(groups)
	if found.Total > len(found.Matches) {
		files = found.Files
	}
	a.showGroups(groups, files)
	return nil
}

// rankGroups puts the file of the declaration first, then files with the name exactly as typed, code first.
func rankGroups(groups []group, subject, declared string) {
	rank := func(g group) int {
		exact := slices.ContainsFunc(g.matches, func(m folder.Match) bool { return strings.Contains(m.Text, subject) })
		return 4*b2i(g.path == declared) + 2*b2i(exact) + b2i(outline.IsCode(outline.Language(g.path)))
	}
	slices.SortStableFunc(groups, func(x, y group) int { return rank(y) - rank(x) })
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// findWords is tried when a phrase does not occur as it stands.
func (a *answer) findWords(subject string, found folder.Found, named bool) error {
	words := Words(subject, 4)
	if len(words) < 2 {
		if named {
			a.para("No file contains %s in its text (%s searched).", tick(subject), count(found.Scanned, "file", "files"))
			return nil
		}
		if found.Scanned == 0 && a.emptyFolder(0, 0) {
			return nil
		}
		a.para("Nothing found: %s does not occur in the %s I searched.%s", tick(subject), count(found.Scanned, "file", "files"), bounds(found))
		return nil
	}
	a.para("The phrase does not occur as it stands, so I look for its words: %s.", listed(words))
	best, err := a.searchWords(words)
	if err != nil {
		return err
	}
	if len(best) == 0 {
		a.para("Nothing found: none of the words occurs in this folder.")
		return nil
	}
	a.showRanked(best, words)
	return nil
}

// searchWords finds files that mention any of the words; those that mention most of them come first.
func (a *answer) searchWords(words []string) ([]group, error) {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = regexp.QuoteMeta(w)
	}
	found, err := a.Search(a.ctx, folder.Query{Pattern: strings.Join(parts, "|"), Regexp: true, Title: "Search " + anyOf(words)})
	if err != nil {
		return nil, a.failed(err, "search")
	}
	groups := grouped(found.Matches)
	slices.SortStableFunc(groups, func(x, y group) int {
		return cmp.Or(distinct(y, words)-distinct(x, words), len(y.matches)-len(x.matches))
	})
	return groups, nil
}

func distinct(g group, words []string) int {
	n := 0
	for _, w := range words {
		if slices.ContainsFunc(g.matches, func(m folder.Match) bool {
			return strings.Contains(strings.ToLower(m.Text), strings.ToLower(w))
		}) {
			n++
		}
	}
	return n
}

func (a *answer) showRanked(groups []group, words []string) {
	best := distinct(groups[0], words)
	if best > 1 {
		top := 0
		for _, g := range groups {
			top += b2i(distinct(g, words) == best)
		}
		all := "of them"
		if best == len(words) {
			all = "— all of them —"
		}
		a.para("They are mentioned in %s; %d %s in %s. The closest:", count(len(groups), "file", "files"), best, all, count(top, "file", "files"))
	} else {
		a.para("Mentioned in %s. The closest:", count(len(groups), "file", "files"))
	}
	a.showGroups(groups, len(groups))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// showGroups shows matches as one short code block per file.
func (a *answer) showGroups(groups []group, files int) {
	for i, g := range groups {
		if i == filesShown {
			break
		}
		var b strings.Builder
		for j, m := range g.matches {
			if j == linesShown {
				break
			}
			fmt.Fprintf(&b, "%5d  %s\n", m.Line, m.Text)
		}
		more := ""
		if n := len(g.matches) - linesShown; n > 0 {
			more = fmt.Sprintf(" · %d more", n)
		}
		a.para("%s%s", tick(g.path), more)
		a.line("%s", code(g.path, b.String()))
	}
	if n := files - min(len(groups), filesShown); n > 0 {
		a.para("… and %s more; the tool call above lists the matches.", count(n, "file", "files"))
	}
}

// bounds says what a search left out, as a sentence with a leading space, or nothing.
func bounds(f folder.Found) string {
	var parts []string
	if f.TooLarge > 0 {
		parts = append(parts, count(f.TooLarge, "very large file was", "very large files were")+" skipped")
	}
	if f.Stopped {
		parts = append(parts, fmt.Sprintf("I stopped after %s files, so there may be more", number(f.Scanned)))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ".)"
}

func someEntries(l folder.Listing) string {
	var names []string
	for _, e := range l.Entries {
		name := e.Path
		if e.Dir {
			name += "/"
		}
		if names = append(names, name); len(names) == 8 {
			break
		}
	}
	text := listed(names)
	if n := len(l.Entries) - len(names); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
