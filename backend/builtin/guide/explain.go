package guide

import (
	"fmt"
	"path"
	"strings"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/outline"
	"weft/backend/quantity"
)

const (
	declarationsShown = 24
	importsShown      = 16
	readLinesShown    = 80
)

func (a *answer) explain() error {
	if a.in.Subject == "" {
		if len(a.req.Files)+len(a.req.Embedded) == 0 {
			return a.summary()
		}
		for _, e := range a.req.Embedded {
			a.para("About the text you sent along, %s:", tick(e.Name))
			a.describe(e.Name, e.Text, outline.Describe(e.Name, e.Text), true)
		}
		for _, file := range a.req.Files {
			if err := a.explainFile(file); err != nil {
				return err
			}
		}
		return nil
	}
	for _, file := range a.req.Files {
		if path.Base(file) == path.Base(a.in.Subject) {
			return a.explainFile(file)
		}
	}
	a.para("I’ll look at %s.", tick(a.in.Subject))
	file, err := a.locate(a.in.Subject)
	if err != nil {
		return err
	}
	if file == "" {
		if len(a.in.Subject) > 2 {
			a.para("Perhaps a text mentions it:")
			a.in = Intent{Action: Where, Subject: a.in.Subject}
			return a.find()
		}
		return nil
	}
	return a.explainFile(file)
}

func (a *answer) explainFile(file string) error {
	if dir, ok := strings.CutSuffix(file, "/"); ok {
		return a.explainFolder(dir)
	}
	text, err := a.Read(a.ctx, file, 1, 0)
	if err != nil {
		return a.failed(err, "read "+file)
	}
	o := outline.Describe(text.Path, text.Content)
	a.para("%s is %s.", tick(text.Path), fileFacts(text, o))
	a.describe(text.Path, text.Content, o, text.Whole())
	return a.mentions(text.Path, o)
}

func (a *answer) explainFolder(dir string) error {
	listing, err := a.List(a.ctx, dir)
	if err != nil {
		return a.failed(err, "list "+dir)
	}
	if listing.Files == 0 {
		a.para("%s has no files.", tick(dir+"/"))
		return nil
	}
	a.showTree(dir, listing)
	return nil
}

func fileFacts(t folder.Text, o outline.Outline) string {
	what := "a file"
	switch {
	case o.Language == "plain text":
		what = "a text file"
	case strings.HasSuffix(o.Language, "file") || strings.HasSuffix(o.Language, "list"):
		what = article(o.Language)
	case o.Language != "":
		what = article(o.Language) + " file"
	}
	if t.Size == 0 {
		return "an empty file"
	}
	lines := count(t.TotalLines, "line", "lines")
	if t.Uncounted {
		lines = "more than " + lines
	}
	return fmt.Sprintf("%s of %s (%s)", what, lines, quantity.Bytes(t.Size))
}

func article(noun string) string {
	if strings.ContainsRune("AEIOaeio", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// describe says what an outline knows. It speaks of the part that was read if that is not the whole.
func (a *answer) describe(file, text string, o outline.Outline, whole bool) {
	if !whole {
		a.para("It is too long to read at once; what follows is about its first %s.", count(o.Lines, "line", "lines"))
	}
	if o.About != "" {
		a.para("It says about itself:")
		a.para("> %s", quote(o.About))
	}
	var facts []string
	if o.Package != "" {
		facts = append(facts, "Package "+tick(o.Package))
	}
	if n := len(o.Imports); n > 0 {
		facts = append(facts, fmt.Sprintf("Uses: %s", shorten(o.Imports, importsShown)))
	}
	if len(facts) > 0 {
		a.Say("\n")
		for _, f := range facts {
			a.line("- %s", f)
		}
	}
	a.declarations(o)
	if len(o.Notes) > 0 {
		a.para("Open notes:")
		a.Say("\n")
		for _, n := range o.Notes[:min(8, len(o.Notes))] {
			a.line("- line %d: %s", n.Line, tick(noteText(clip(n.Text, 160))))
		}
	}
	if len(o.Declarations) == 0 && len(o.Imports) == 0 && o.About == "" && strings.TrimSpace(text) != "" {
		a.para("I have no rules to outline this kind of file, so here is how it starts:")
		a.para("%s", code(file, firstLines(text, 12)))
	}
}

func (a *answer) declarations(o outline.Outline) {
	n := len(o.Declarations)
	if n == 0 {
		return
	}
	switch o.Language {
	case "Markdown":
		a.para("Its sections:")
		a.Say("\n")
		for _, d := range o.Declarations[:min(n, declarationsShown)] {
			a.line("%s- %s", strings.Repeat("  ", max(0, int(d.Kind[1]-'1'))), plain(d.Name))
		}
	default:
		a.para("%s:", countKinds(o.Declarations))
		a.Say("\n")
		for _, d := range o.Declarations[:min(n, declarationsShown)] {
			doc := ""
			if d.Doc != "" {
				doc = " — " + plain(clip(d.Doc, 110))
			}
			a.line("- %s, line %d%s", tick(d.Name), d.Line, doc)
		}
	}
	if n > declarationsShown {
		a.line("- … and %d more", n-declarationsShown)
	}
}

// countKinds says "It declares 3 funcs and 2 types".
func countKinds(ds []outline.Declaration) string {
	var kinds []string
	per := map[string]int{}
	for _, d := range ds {
		if per[d.Kind]++; per[d.Kind] == 1 {
			kinds = append(kinds, d.Kind)
		}
	}
	parts := make([]string, len(kinds))
	for i, k := range kinds {
		many := k + "s"
		switch k {
		case "class":
			many = "classes"
		case "const", "struct", "enum", "var", "let", "fn", "def", "impl":
			many = k + "s"
		}
		parts[i] = count(per[k], k, many)
	}
	if len(parts) > 1 {
		return "It has " + strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
	}
	return "It has " + parts[0]
}

// genericStems are file names that say nothing about who uses the file.
var genericStems = map[string]bool{"main": true, "index": true, "mod": true, "lib": true, "readme": true, "util": true, "utils": true, "init": true, "__init__": true, "types": true, "config": true, "test": true}

// mentions looks for other files that name this one.
func (a *answer) mentions(file string, o outline.Outline) error {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if !outline.IsCode(o.Language) || len(stem) < 4 || genericStems[strings.ToLower(stem)] || o.Language == "Go" {
		return nil
	}
	found, err := a.Search(a.ctx, folder.Query{Pattern: stem, Case: true})
	if err != nil {
		return a.failed(err, "search")
	}
	var names []string
	for _, g := range grouped(found.Matches) {
		if g.path != file {
			names = append(names, g.path)
		}
	}
	if len(names) > 0 {
		a.para("The name %s also occurs in %s.", tick(stem), shorten(names, 6))
	}
	return nil
}

func shorten(names []string, n int) string {
	if len(names) <= n {
		return listed(names)
	}
	quoted := make([]string, n)
	for i, name := range names[:n] {
		quoted[i] = tick(name)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), len(names)-n)
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " …"
}

// plain escapes what Markdown would read as markup in text that comes from a file.
func plain(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]", `\]`, "|", `\|`).Replace(s)
}

// quote keeps inline code and emphasis of a file's own words, but no links, images or HTML.
func quote(s string) string { return strings.NewReplacer("<", "&lt;", "![", "!\\[").Replace(s) }
