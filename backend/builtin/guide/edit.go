package guide

import (
	"fmt"
	"path"
	"strings"

	"weft/backend/builtin/folder"
	"weft/backend/quantity"
)

// propose asks for an edit, writes it, and checks it by reading the file back. It returns false if the file
// was not changed, after telling why.
func (a *answer) propose(p *plan, e Edit) (bool, error) {
	if err := a.Write(a.ctx, e); err != nil {
		return false, a.failed(err, "write "+e.Path)
	}
	p.next()
	text, err := a.Read(a.ctx, e.Path, 1, 0)
	if err != nil {
		return false, a.failed(err, "check "+e.Path)
	}
	if text.Whole() && text.Content != e.Content {
		a.para("I wrote %s, but reading it back gives something else. Something changed it meanwhile; please look at it.", tick(e.Path))
		return false, nil
	}
	p.next()
	return true, nil
}

// locateEditable finds a file by a path or a name and reads it for an edit.
func (a *answer) locateEditable(name string) (folder.Text, bool, error) {
	file, err := a.locate(name)
	if err != nil || file == "" {
		return folder.Text{}, false, err
	}
	return a.editable(strings.TrimSuffix(file, "/"))
}

// editable reads a file for an edit. It returns false after telling why if the file cannot be edited safely.
func (a *answer) editable(file string) (folder.Text, bool, error) {
	text, err := a.Read(a.ctx, file, 1, 0)
	switch {
	case err != nil:
		return text, false, a.failed(err, "read "+file)
	case !text.Whole():
		a.para("%s is too large for me to edit (%s).", tick(file), quantity.Bytes(text.Size))
	case strings.ContainsRune(text.Content, '\uFFFD'):
		a.para("%s is not clean UTF-8, so I leave it alone.", tick(file))
	default:
		return text, true, nil
	}
	return text, false, nil
}

func (a *answer) tidy() error {
	a.para("I’ll check %s for trailing whitespace and its final newline.", tick(a.in.Subject))
	p := newPlan(a, "Read the file", "Propose the edit", "Check the result")
	text, ok, err := a.locateEditable(a.in.Subject)
	if err != nil || !ok {
		return err
	}
	p.next()
	fixed, changes := tidied(text.Path, text.Content)
	if len(changes) == 0 {
		a.para("%s is tidy already: no trailing whitespace, and it ends with one newline.", tick(text.Path))
		return nil
	}
	a.para("To fix: %s. I’ll propose that.", strings.Join(changes, ", "))
	ok, err = a.propose(p, Edit{Path: text.Path, Old: text.Content, Content: fixed, Title: "Tidy " + text.Path})
	if ok {
		a.para("Done and checked: %s is tidy now.", tick(text.Path))
	}
	return err
}

// tidied removes trailing blanks and gives the text exactly one final newline. Line ends stay as they are, and
// so do the two blanks that break a line in Markdown.
func tidied(file, text string) (string, []string) {
	eol := "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
	}
	markdown := path.Ext(strings.ToLower(file)) == ".md"
	lines := strings.Split(text, "\n")
	stripped := 0
	for i, line := range lines {
		cr := ""
		if strings.HasSuffix(line, "\r") {
			line, cr = line[:len(line)-1], "\r"
		}
		short := strings.TrimRight(line, " \t")
		if markdown && short != "" && line == short+"  " {
			continue
		}
		if short != line {
			stripped++
			lines[i] = short + cr
		}
	}
	out := strings.Join(lines, "\n")
	var changes []string
	if stripped > 0 {
		changes = append(changes, "trailing whitespace on "+count(stripped, "line", "lines"))
	}
	body := strings.TrimRight(out, "\r\n")
	if body == "" {
		return out, changes
	}
	if end := body + eol; out != end {
		if len(out) < len(end) {
			changes = append(changes, "the missing newline at the end")
		} else {
			changes = append(changes, "extra blank lines at the end")
		}
		out = end
	}
	return out, changes
}

func (a *answer) replace() error {
	from, to := a.in.Subject, a.in.With
	a.para("I’ll replace %s with %s in %s.", tick(from), tick(to), tick(a.in.In))
	p := newPlan(a, "Read the file", "Propose the edit", "Check the result")
	text, ok, err := a.locateEditable(a.in.In)
	if err != nil || !ok {
		return err
	}
	p.next()
	n := strings.Count(text.Content, from)
	if n == 0 {
		hint := ""
		if strings.Contains(strings.ToLower(text.Content), strings.ToLower(from)) {
			hint = " It does in other letter case; I only replace what is written exactly so."
		}
		a.para("%s does not occur in %s.%s", tick(from), tick(text.Path), hint)
		return nil
	}
	a.para("It occurs %s. I’ll propose the change.", count(n, "time", "times"))
	ok, err = a.propose(p, Edit{
		Path: text.Path, Old: text.Content, Content: strings.ReplaceAll(text.Content, from, to),
		Title: fmt.Sprintf("Replace %q with %q in %s", clip(from, 40), clip(to, 40), text.Path),
	})
	if ok {
		a.para("Done and checked: %s in %s.", count(n, "replacement", "replacements"), tick(text.Path))
	}
	return err
}
