package guide

import (
	"fmt"
	"strings"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/outline"
	"weft/backend/builtin/project"
)

// makeDocument writes one of the usual project files from what the folder really holds. A file that exists is
// completed, not replaced, unless the person asked for that.
func (a *answer) makeDocument() error {
	doc := a.in.Subject
	a.para("I’ll see what this project really has, then propose %s.", tick(doc))
	p := newPlan(a, "Look at the folder", "Read what describes it", "Propose "+doc, "Check the file")
	facts, listing, err := a.survey(p)
	if err != nil || facts == nil {
		return err
	}
	var old folder.Text
	existing, exists := facts.Has(names(doc)...)
	if exists {
		var ok bool
		if old, ok, err = a.editable(existing); err != nil || !ok {
			return err
		}
		doc = existing
	}
	var styles []indentation
	if a.in.Subject == ".editorconfig" {
		if styles, err = a.indentations(facts, listing); err != nil {
			return err
		}
	}
	content, added := compose(a.in.Subject, facts, styles), "the whole file"
	if exists && !a.in.Anew {
		content, added = complete(a.in.Subject, old.Content, content)
	}
	if exists && content == old.Content {
		a.para("%s exists (%s) and I have nothing to add to it.", tick(doc), count(old.TotalLines, "line", "lines"))
		return nil
	}
	verb := "Create "
	if exists {
		if verb = "Add to "; a.in.Anew {
			verb = "Rewrite "
			a.para("%s exists; as you asked for it anew, the proposal replaces all of it.", tick(doc))
		} else {
			a.para("%s exists already, so I only propose what it lacks: %s.", tick(doc), added)
		}
	} else {
		a.para("Here is my proposal, %s, made of what I found.", count(strings.Count(content, "\n"), "line", "lines"))
	}
	ok, err := a.propose(p, Edit{Path: doc, New: !exists, Old: old.Content, Content: content, Title: verb + doc})
	if !ok {
		return err
	}
	a.para("Done and checked: %s is on disk as proposed.%s", tick(doc), sources(a.in.Subject, facts))
	return nil
}

func names(doc string) []string {
	switch doc {
	case "README.md":
		return []string{doc, "README", "README.rst", "README.txt"}
	case "CONTRIBUTING.md", "CHANGELOG.md":
		return []string{doc, strings.TrimSuffix(doc, ".md"), strings.TrimSuffix(doc, ".md") + ".txt"}
	}
	return []string{doc}
}

// sources says where the contents came from and what a person should still look at.
func sources(doc string, f *project.Facts) string {
	switch doc {
	case "CONTRIBUTING.md", "README.md":
		var from []string
		seen := map[string]bool{}
		for _, c := range f.Commands {
			if !seen[c.From] {
				seen[c.From] = true
				from = append(from, c.From)
			}
		}
		if len(from) == 0 {
			return " I found no build or test commands, so it names none; add yours."
		}
		return fmt.Sprintf(" The commands come from %s; I have not run them.", listed(from))
	}
	return " Please read it once: it follows rules, not judgement."
}

// indentation is how the files of a language are indented, by counting lines.
type indentation struct {
	glob  string
	tabs  bool
	width int
}

// indentations counts how the files of the most used languages are indented.
func (a *answer) indentations(f *project.Facts, l folder.Listing) ([]indentation, error) {
	var out []indentation
	a.para("To know how files are indented, I count lines.")
	for _, lang := range f.Languages[:min(3, len(f.Languages))] {
		glob := globFor(lang.Name, l)
		if glob == "" {
			continue
		}
		var totals [3]int
		for i, by := range [][2]string{{`^\t+\S`, "a tab"}, {`^  \S`, "two spaces"}, {`^    \S`, "four spaces"}} {
			found, err := a.Search(a.ctx, folder.Query{Pattern: by[0], Regexp: true, Case: true, Glob: glob, Title: "Count lines indented by " + by[1]})
			if err != nil {
				return nil, a.failed(err, "search")
			}
			totals[i] = found.Total
		}
		switch {
		case totals[0]+totals[1]+totals[2] == 0:
		case totals[0] > totals[1]+totals[2]:
			out = append(out, indentation{glob: glob, tabs: true})
		case totals[1]*4 > totals[2]:
			out = append(out, indentation{glob: glob, width: 2})
		default:
			out = append(out, indentation{glob: glob, width: 4})
		}
	}
	return out, nil
}

// globFor names the files of a language by the extension most of them have.
func globFor(language string, l folder.Listing) string {
	per := map[string]int{}
	best := ""
	for _, e := range l.Entries {
		dot := strings.LastIndexByte(e.Path, '.')
		if e.Dir || dot < 0 || strings.Contains(e.Path[dot:], "/") || outline.Language(e.Path) != language {
			continue
		}
		ext := e.Path[dot:]
		if per[ext]++; best == "" || per[ext] > per[best] {
			best = ext
		}
	}
	if best == "" {
		return ""
	}
	return "*" + best
}
