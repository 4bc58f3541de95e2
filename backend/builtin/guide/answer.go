package guide

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"weft/backend/base/quantity"
	"weft/backend/builtin/folder"
	"weft/backend/llm"
)

const (
	treeLines = 60
	readLines = 80
)

// answer answers one prompt.
type answer struct {
	*turn
	prompt llm.Message
	first  bool // the first prompt of the session
}

func (a *answer) run() error {
	if a.first {
		a.para("I'm Weft's offline guide, not a language model. I follow fixed rules and only report what I find in this folder.")
	}
	text, other := "", false
	for _, p := range a.prompt.Parts {
		switch p := p.(type) {
		case llm.Text:
			text = cmp.Or(text, p.Text)
		case llm.Image, llm.File:
			other = true
		}
	}
	if other {
		a.para("I can only read text files, so I ignored the attachment.")
	}
	in := parse(text)
	switch in.action {
	case help:
		a.help()
	case next:
		a.nextSteps()
	case summary:
		return a.summary()
	case tree:
		return a.tree(cmp.Or(strings.TrimSuffix(in.subject, "/"), "."))
	case todos:
		return a.todos()
	case find:
		return a.find(in.subject)
	case read:
		return a.read(in)
	case contribute:
		return a.contribute()
	case weft:
		a.para("%s", topicOf(in.subject))
		a.para("Ctrl+K (⌘K on a Mac) finds all commands of Weft, and Ctrl+/ (⌘/) shows their keys.")
	default:
		a.para("I don't understand that: I'm not a language model, so I can't reason about a question.")
		a.help()
	}
	return nil
}

func (a *answer) help() {
	a.para("Here is what I can do in this folder:")
	a.list([]string{
		"**Summarize** the project: `summarize this project`",
		"**Find** text or a file: `find parseConfig`, `find files named *.yml`",
		"**Read** a file or a folder: `read README.md`, `read main.go lines 10-40`, `show the tree`",
		"**List** open notes: `list TODOs`",
		"**Edit** one file, if you allow it: `make a CONTRIBUTING file`",
	})
	a.nextSteps()
}

func (a *answer) nextSteps() {
	a.para("For questions, plans and code, add an agent in **Settings → Agents**:")
	a.list([]string{
		"**Browse agents** installs a published agent, such as Claude Code, Codex or opencode.",
		"**Add agent** takes a model with your own API key, or any command that speaks the Agent Client Protocol.",
	})
	a.para("Then choose the agent when you create a space.")
}

// failed tells the user that a tool call failed. It returns errPending unchanged, which ends the message.
func (a *answer) failed(what string, err error) error {
	switch {
	case errors.Is(err, errPending):
		return err
	case errors.Is(err, errDeclined):
		a.para("You rejected that, so nothing was changed.")
	default:
		a.para("I couldn't %s: %s.", what, sentence(err))
	}
	return nil
}

type (
	listInput struct {
		Path  string `json:"path"`
		Depth int    `json:"depth"` // 0: everything
	}
	globInput struct {
		Pattern string `json:"pattern"`
	}
	readInput struct {
		Path string `json:"path"`
		From int    `json:"from,omitempty"`
		To   int    `json:"to,omitempty"`
	}
	readResult struct {
		folder.Text
		Content string `json:"content"`
	}
)

func (a *answer) read(in intent) error {
	name := in.subject
	if strings.Contains(name, "://") && !strings.HasPrefix(name, "file://") {
		a.para("I work offline, so I can't open %s.", tick(name))
		return nil
	}
	file, dir, err := a.locate(name)
	switch {
	case err != nil:
		return a.failed("look for "+name, err)
	case file == "":
		a.para("No file named %s found in this folder.", tick(name))
		return nil
	case dir:
		return a.tree(file)
	}
	text, err := use[readResult](a.turn, "read", readInput{file, in.from, in.to})
	if err != nil {
		return a.failed("read "+file, err)
	}
	shown := firstLines(text.Content, readLines)
	last := text.From + strings.Count(strings.TrimSuffix(shown, "\n"), "\n")
	switch {
	case text.Size == 0:
		a.para("%s is empty.", tick(text.Path))
		return nil
	case shown == "":
		a.para("%s has only %s.", tick(text.Path), quantity.Count(text.TotalLines, "line", "lines"))
		return nil
	case text.From <= 1 && last >= text.TotalLines:
		a.para("%s, %s:", tick(text.Path), quantity.Count(text.TotalLines, "line", "lines"))
	default:
		a.para("%s, lines %d–%d of %d:", tick(text.Path), text.From, last, text.TotalLines)
	}
	a.para("%s", code(text.Path, shown))
	if last < text.To {
		a.para("To continue: `read %s lines %d-%d`.", text.Path, last+1, min(last+readLines, text.TotalLines))
	}
	return nil
}

// locate returns the path of the file or folder that a name means, and "" if there is none. The read tool itself
// reports paths that lead out of the folder.
func (a *answer) locate(name string) (file string, dir bool, err error) {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	if path.IsAbs(name) || strings.HasPrefix(name, "file://") || slices.Contains(strings.Split(name, "/"), "..") {
		return name, false, nil
	}
	found, err := use[folder.Listing](a.turn, "glob", globInput{"**/" + globEscape.Replace(name)})
	if err != nil || len(found.Entries) == 0 {
		return "", false, err
	}
	best := slices.MinFunc(found.Entries, func(x, y folder.Entry) int { return x.Depth() - y.Depth() })
	if n := len(found.Entries); n > 1 {
		a.para("%d files have that name. I'll read %s.", n, tick(best.Path))
	}
	return best.Path, best.Dir, nil
}

var globEscape = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

func (a *answer) tree(dir string) error {
	l, err := use[folder.Listing](a.turn, "list", listInput{Path: dir})
	if err != nil {
		return a.failed("list "+dir, err)
	}
	if a.empty(l) {
		return nil
	}
	a.para("**%s**:", extent(l))
	a.para("%s", code("", drawTree(dir, l.Entries)))
	if l.Ignored > 0 {
		a.para("%s left out (version control, dependencies, `.gitignore`).", quantity.Count(l.Ignored, "entry is", "entries are"))
	}
	return nil
}

// empty reports whether a listing has no files, and if so tells the user.
func (a *answer) empty(l folder.Listing) bool {
	switch {
	case l.Files > 0:
		return false
	case l.Ignored > 0:
		a.para("There is nothing to look at: every file here is ignored (by `.gitignore` or because it is a dependency).")
	default:
		a.para("This folder is empty.")
	}
	return true
}

// extent returns the size of a listing, such as "6 files in 3 folders, 2 KB".
func extent(l folder.Listing) string {
	text := fmt.Sprintf("%s in %s, %s", quantity.Count(l.Files, "file", "files"), quantity.Count(l.Dirs, "folder", "folders"), quantity.Bytes(l.Bytes))
	if l.Stopped {
		return "At least " + text
	}
	return text
}

// drawTree draws two levels of a listing, at most treeLines lines.
func drawTree(dir string, entries []folder.Entry) string {
	base := 0
	if dir != "." {
		base = strings.Count(dir, "/") + 1
	}
	var b strings.Builder
	lines, omitted := 0, 0
	for _, e := range entries {
		depth := e.Depth() - base
		if depth < 0 || depth > 1 || lines == treeLines {
			omitted++
			continue
		}
		lines++
		name := path.Base(e.Path)
		switch {
		case e.Dir:
			name += "/"
		case e.Link:
			name += " (link)"
		}
		b.WriteString(strings.Repeat("  ", depth) + name + "\n")
	}
	if omitted > 0 {
		fmt.Fprintf(&b, "… %d more\n", omitted)
	}
	return b.String()
}
