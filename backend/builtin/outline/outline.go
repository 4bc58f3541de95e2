package outline

import (
	"regexp"
	"strings"
)

// Outline is what can be said about a file without running it.
type Outline struct {
	Language     string
	Lines        int // lines of text, the last one counted also without a line end
	Blank        int
	Package      string   // the package or module the file says it belongs to
	About        string   // the file's own header comment or first paragraph, one line
	Imports      []string // in order, without duplicates
	Declarations []Declaration
	Notes        []Note
}

// Declaration is something the file defines at its top level.
type Declaration struct {
	Kind string // func, type, class, heading, key …
	Name string
	Line int    // counted from 1
	Doc  string // first sentence of its comment, where the language has a convention for that
}

// Note is a TODO, FIXME, HACK or XXX.
type Note struct {
	Tag  string
	Line int
	Text string
}

// NotePattern finds notes that people leave for later. It is case-sensitive: "todo" is also a plain word.
const NotePattern = `\b(TODO|FIXME|HACK|XXX)\b`

var notePattern = regexp.MustCompile(NotePattern + `[:\s(]*(.*)`)

// Describe outlines the text of a file. The name decides the language.
func Describe(file, text string) Outline {
	o := Outline{Language: Language(file)}
	lines := splitLines(text)
	o.Lines = len(lines)
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			o.Blank++
		}
		if m := notePattern.FindStringSubmatch(line); m != nil {
			o.Notes = append(o.Notes, Note{Tag: m[1], Line: i + 1, Text: strings.TrimSpace(line)})
		}
	}
	switch o.Language {
	case "Go":
		describeGo(&o, text)
	case "JSON":
		describeJSON(&o, text)
	case "Markdown":
		describeMarkdown(&o, lines)
	default:
		if rules, ok := patterns[family(o.Language)]; ok {
			describeLines(&o, lines, rules)
		}
		o.About = headerComment(lines)
	}
	return o
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\r\n", "\n"), "\n")
}

func (o *Outline) imports(names ...string) {
	for _, name := range names {
		name = strings.TrimSpace(name)
		known := name == ""
		for _, have := range o.Imports {
			known = known || have == name
		}
		if !known {
			o.Imports = append(o.Imports, name)
		}
	}
}

func (o *Outline) declare(kind, name string, line int, doc string) {
	o.Declarations = append(o.Declarations, Declaration{Kind: kind, Name: name, Line: line, Doc: doc})
}

// headerComment returns the first paragraph of the comment a file starts with, skipping a shebang and licence
// boilerplate.
func headerComment(lines []string) string {
	var words []string
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if i == 0 && strings.HasPrefix(line, "#!") {
			continue
		}
		text, isComment := commentText(line)
		if !isComment || (text == "" && len(words) > 0) {
			if line == "" && len(words) == 0 {
				continue
			}
			break
		}
		if text != "" {
			words = append(words, text)
		}
	}
	about := strings.Join(words, " ")
	lower := strings.ToLower(about)
	for _, boiler := range []string{"copyright", "spdx-license", "licensed under", "eslint-", "-*-", "@ts-", "use strict"} {
		if strings.Contains(lower, boiler) {
			return ""
		}
	}
	return firstSentence(about)
}

var commentStarts = []string{"///", "//!", "//", "/**", "/*", "*/", "*", "#", "--", `"""`, `'''`, "<!--"}

func commentText(line string) (string, bool) {
	for _, start := range commentStarts {
		if rest, ok := strings.CutPrefix(line, start); ok {
			if start == "#" && (strings.HasPrefix(rest, "include") || strings.HasPrefix(rest, "define") || strings.HasPrefix(rest, "if") || strings.HasPrefix(rest, "pragma") || strings.HasPrefix(rest, "[")) {
				return "", false
			}
			for _, end := range []string{"*/", `"""`, `'''`, "-->"} {
				rest = strings.TrimSuffix(strings.TrimSpace(rest), end)
			}
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

const maxSentence = 220 // bytes

func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i+1]
	}
	if len(text) > maxSentence {
		cut := strings.LastIndexByte(text[:maxSentence], ' ')
		text = strings.ToValidUTF8(text[:max(cut, maxSentence/2)], "") + " …"
	}
	return text
}
