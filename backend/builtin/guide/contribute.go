package guide

import (
	"cmp"
	"fmt"
	"strings"

	"weft/backend/base/quantity"
)

const contributing = "CONTRIBUTING.md"

type writeInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// contribute is the guide's one edit: it creates a CONTRIBUTING.md with the commands that the project defines. Weft
// asks the user before the file is written. A file that exists is left alone.
func (a *answer) contribute() error {
	p, _, err := a.survey()
	if err != nil || p == nil {
		return err
	}
	for _, name := range []string{"contributing.md", "contributing"} {
		if file, ok := p.files[name]; ok {
			a.para("%s already exists, so I left it alone.", tick(file))
			return nil
		}
	}
	content := p.contributing()
	a.para("Here is my proposal, %s.", quantity.Count(strings.Count(content, "\n"), "line", "lines"))
	if _, err := use[struct{}](a.turn, "write", writeInput{contributing, content}); err != nil {
		return a.failed("write "+contributing, err)
	}
	text, err := use[readResult](a.turn, "read", readInput{Path: contributing})
	if err != nil {
		return a.failed("read "+contributing, err)
	}
	if text.Content != content {
		a.para("%s differs from the proposal: something else changed it.", tick(contributing))
		return nil
	}
	a.para("Done: %s is on disk as proposed. I didn't run the commands in it.", tick(contributing))
	return nil
}

func (p *project) contributing() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Contributing to %s\n", cmp.Or(p.title, "this project"))
	if len(p.commands) > 0 {
		b.WriteString("\n## Commands\n\n")
		for i, item := range p.commandList() {
			if from := p.commands[i].from; i == 0 || from != p.commands[i-1].from {
				fmt.Fprintf(&b, "From `%s`:\n\n", from)
			}
			fmt.Fprintf(&b, "- %s\n", item)
			if i+1 < len(p.commands) && p.commands[i+1].from != p.commands[i].from {
				b.WriteString("\n")
			}
		}
	}
	b.WriteString("\n## Pull requests\n\n- Open an issue before you start on a large change.\n- Keep each pull request about one thing.\n- Say what changed and why.\n- Make sure that the tests pass.\n")
	return b.String()
}
