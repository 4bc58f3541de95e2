package guide

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/outline"
	"weft/backend/builtin/project"
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
		a.para("%s mentioned in %s; %d %s in %s. The closest:", plural(len(groups), "They are", "They are"), count(len(groups), "file", "files"), best, all, count(top, "file", "files"))
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

var identifier = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*$`)

// declarationOf is a pattern for lines that declare a name: a keyword before it, with at most a receiver or
// modifiers around the keyword.
func declarationOf(name string) string {
	return `^\s*(?:(?:export|default|pub(?:\(\w+\))?|public|private|protected|static|async|abstract|final|declare|unsafe)\s+)*` +
		`(?:func(?:\s*\([^)]*\))?|function\*?|def|class|type|struct|interface|enum|trait|fn|const|let|var|macro_rules!|#define|typedef|record|module|namespace)\s+` +
		regexp.QuoteMeta(name) + `(?:[^\pL\pN_]|$)`
}

// definition looks for the line that declares a name. Matches that were kept are tried first; if there were
// more, or the person asked where, the folder is searched for declarations.
func (a *answer) definition(name string, found folder.Found) (folder.Match, bool, error) {
	if !identifier.MatchString(name) {
		return folder.Match{}, false, nil
	}
	pick := func(matches []folder.Match, re *regexp.Regexp) (folder.Match, bool) {
		for _, tests := range []bool{false, true} {
			for _, m := range matches {
				if re.MatchString(m.Text) && outline.IsCode(outline.Language(m.Path)) && project.IsTest(m.Path) == tests {
					return m, true
				}
			}
		}
		return folder.Match{}, false
	}
	exact, loose := regexp.MustCompile(declarationOf(name)), regexp.MustCompile(`(?i)`+declarationOf(name))
	if m, ok := pick(found.Matches, exact); ok {
		return m, true, nil
	}
	if found.Total > len(found.Matches) {
		more, err := a.Search(a.ctx, folder.Query{Pattern: declarationOf(name), Regexp: true, Title: "Search the declaration of " + name})
		if err != nil {
			return folder.Match{}, false, a.failed(err, "search")
		}
		found = more
		if m, ok := pick(found.Matches, exact); ok {
			return m, true, nil
		}
	}
	m, ok := pick(found.Matches, loose)
	return m, ok, nil
}

const definitionLines = 14

func (a *answer) showDefinition(def folder.Match) error {
	a.para("It looks declared in %s, line %d. I’ll open that place.", tick(def.Path), def.Line)
	text, err := a.Read(a.ctx, def.Path, def.Line, def.Line+definitionLines-1)
	if err != nil {
		return a.failed(err, "read "+def.Path)
	}
	a.para("%s", code(def.Path, upToBlockEnd(text.Content)))
	return nil
}

// upToBlockEnd keeps a declaration and drops what follows it: it ends at the first line that closes it at the
// indentation it started with, or before a blank line that is followed by less indented text.
func upToBlockEnd(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if i > 0 && (strings.HasPrefix(line, "}") || strings.HasPrefix(line, ")") || strings.HasPrefix(line, "end")) {
			return strings.Join(lines[:i+1], "\n")
		}
		if i > 0 && strings.TrimSpace(line) == "" && i+1 < len(lines) && lines[i+1] != "" && !strings.ContainsAny(lines[i+1][:1], " \t") {
			return strings.Join(lines[:i], "\n")
		}
	}
	return strings.Join(lines, "\n")
}

// bounds says what a search left out, as a sentence with a leading space, or nothing.
func bounds(f folder.Found) string {
	var parts []string
	if f.TooLarge > 0 {
		parts = append(parts, count(f.TooLarge, "very large file was", "very large files were")+" skipped")
	}
	if f.Stopped {
		parts = append(parts, fmt.Sprintf("I stopped after %s files, so there may be more", number(folder.MaxFiles)))
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

// files finds files by name, and looks into the texts if no name fits.
func (a *answer) files() error {
	pattern := a.in.Subject
	a.para("I’ll look for files named %s.", tick(pattern))
	glob := pattern
	if !strings.ContainsAny(glob, "*?[") && outline.Language(glob) == "" {
		glob = "*" + glob + "*"
	}
	if strings.Contains(glob, "/") {
		glob = "**/" + strings.TrimPrefix(glob, "/")
	}
	found, err := a.Glob(a.ctx, glob)
	if err != nil {
		return a.failed(err, "list the files")
	}
	if len(found.Entries) == 0 {
		if strings.ContainsAny(pattern, "*?[") {
			a.para("No file matches %s.", tick(pattern))
			return nil
		}
		a.para("No file has that name. Perhaps a text mentions it:")
		a.in = Intent{Action: Find, Subject: pattern}
		return a.find()
	}
	a.para("**%s:**", count(len(found.Entries), "file", "files"))
	a.Say("\n")
	for i, e := range found.Entries {
		if i == 40 {
			a.line("- … and %d more", len(found.Entries)-i)
			break
		}
		if e.Dir {
			a.line("- %s", tick(e.Path+"/"))
		} else {
			a.line("- %s (%s)", tick(e.Path), size(e.Size))
		}
	}
	if found.Stopped {
		a.para("I stopped after %s files, so there may be more.", number(folder.MaxFiles))
	}
	return nil
}
