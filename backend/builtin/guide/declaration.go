package guide

import (
	"regexp"
	"strings"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/outline"
	"weft/backend/builtin/project"
)

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
