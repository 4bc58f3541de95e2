package guide

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"weft/backend/builtin/outline"
)

// Answer answers one prompt. It returns ctx's error if the turn was cancelled; everything else that goes wrong
// is told to the person as part of the answer.
func Answer(ctx context.Context, t Turn, req Request) error {
	a := &answer{Turn: t, ctx: ctx, req: req, in: Parse(req.Text)}
	err := a.run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		a.para("I could not go on: %s.", sentence(err))
	}
	return nil
}

// aboutProject tells "summarise this project" from "summarise this", which is about what is attached.
var aboutProject = regexp.MustCompile(`(?i)project|repo|folder|directory|code ?base|workspace|^/`)

// answer is one answer in the making.
type answer struct {
	Turn
	ctx  context.Context
	req  Request
	in   Intent
	said bool
}

// para says a paragraph. Paragraphs are separated by a blank line, also across tool calls, so that the text
// of an answer reads well when it is joined.
func (a *answer) para(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if a.said {
		text = "\n\n" + text
	}
	a.said = true
	a.Say(text)
}

// line continues the paragraph on a new line; list items are lines.
func (a *answer) line(format string, args ...any) { a.Say("\n" + fmt.Sprintf(format, args...)) }

func (a *answer) run() error {
	if attached := len(a.req.Files)+len(a.req.Embedded) > 0; attached && (a.in.Action == Unknown || a.in.Action == Summary && !aboutProject.MatchString(a.req.Text)) {
		a.in = Intent{Action: Explain}
	}
	if thought := a.in.thought(); thought != "" && a.req.Problem == nil {
		a.Think(thought)
	}
	if a.req.First {
		a.para("I am Weft’s offline guide, not a language model: I answer from what I find in this folder, by fixed rules.")
	}
	for _, notice := range a.req.Notices {
		a.para("%s", notice)
	}
	if problem := a.req.Problem; problem != nil {
		return a.cannotLook(problem)
	}
	switch a.in.Action {
	case Help:
		a.help()
		return nil
	case Thanks:
		a.para("You are welcome.")
		return nil
	case Find, Where:
		return a.find()
	case Files:
		return a.files()
	case Explain:
		return a.explain()
	case Summary:
		return a.summary()
	case Todos:
		return a.todos()
	case Tree:
		return a.tree()
	case Read:
		return a.read()
	case Make:
		return a.makeDocument()
	case Tidy:
		return a.tidy()
	case Replace:
		return a.replace()
	default:
		return a.unknown()
	}
}

// cannotLook is the answer about a folder that cannot be used; nothing else is tried.
func (a *answer) cannotLook(problem error) error {
	a.para("I cannot look around: %s. Choose another folder for this space, or make this one readable, and ask again.", sentence(problem))
	return nil
}

// thought says in one line what was understood; it stands before the first tool call.
func (in Intent) thought() string {
	switch in.Action {
	case Find, Where:
		return fmt.Sprintf("Understood as a search for %q.", in.Subject)
	case Files:
		return fmt.Sprintf("Understood as a search for files named %q.", in.Subject)
	case Explain:
		if in.Subject != "" {
			return fmt.Sprintf("Understood as: describe %s.", in.Subject)
		}
	case Make:
		return fmt.Sprintf("Understood as: write %s from what this project really has, after asking.", in.Subject)
	case Tidy, Replace:
		return "Understood as a small edit: work it out, ask, write, check."
	case Unknown:
		return "No rule fits, so the best I can do is to look for the words that carry meaning."
	default: // the others are plain from what is done
	}
	return ""
}

func (a *answer) help() {
	a.para("Here is what I can do in **%s**:", a.req.Folder)
	a.Say("\n")
	for _, item := range []string{
		"**Summarise** the project: `summarise this project`",
		"**Find** text, a definition or files: `find parseConfig`, `where is Server defined`, `find files named *.yml`",
		"**Explain** a file: `explain src/main.ts`",
		"**Read** a file or some lines of it: `read go.mod`, `read main.go lines 10-40`",
		"**List** open notes or the tree: `list TODOs`, `show the tree`",
		"**Write** a CONTRIBUTING, README, CHANGELOG, .gitignore or .editorconfig file from what is really there: `make a CONTRIBUTING file`",
		"**Edit** a little: `fix trailing whitespace in notes.md`, `replace \"colour\" with \"color\" in style.css`",
	} {
		a.line("- %s", item)
	}
	a.para("I ask before I write, and I never leave this folder. I cannot reason, plan features or write code; for that, add a coding agent in Weft’s settings.")
}

// unknown does the honest best: say so, look for the significant words, and show what there is.
func (a *answer) unknown() error {
	words := Words(a.req.Text, 4)
	if len(words) == 0 {
		a.para("I did not understand that; I go by fixed rules.")
		a.help()
		return nil
	}
	a.para("I have no rule for that and cannot reason about it, but I can look for %s.", listed(words))
	best, err := a.searchWords(words)
	if err != nil {
		return err
	}
	if len(best) == 0 {
		a.para("Nothing in this folder mentions %s.", anyOf(words))
	} else {
		a.showRanked(best, words)
	}
	a.para("Type `/help` to see what I can answer properly.")
	return nil
}

// emptyFolder says so and reports true if a listing holds no files.
func (a *answer) emptyFolder(files, ignored int) bool {
	if files > 0 {
		return false
	}
	if ignored > 0 {
		a.para("There is nothing to look at: every file in **%s** is ignored (by `.gitignore` or because it is a dependency).", a.req.Folder)
	} else {
		a.para("**%s** is empty: there are no files to look at yet.", a.req.Folder)
	}
	return true
}

// failed tells about a tool that failed, unless the turn was cancelled, which the caller has to see.
func (a *answer) failed(err error, what string) error {
	if a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	if errors.Is(err, ErrDeclined) {
		a.para("You declined, so nothing was written.")
		return nil
	}
	a.para("I could not %s: %s.", what, sentence(err))
	return nil
}

// code renders text as a fenced block whose fence cannot be closed by the text.
func code(file, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + outline.Fence(file) + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// tick renders a name as inline code, also if it has backticks.
func tick(s string) string {
	s = strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

func sentence(err error) string { return strings.TrimSuffix(err.Error(), ".") }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %s", number(n), many)
}

// number groups the digits of large numbers with thin spaces.
func number(n int) string {
	s := strconv.Itoa(n)
	if len(s) < 5 {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// listed joins names as "`a`, `b` and `c`".
func listed(names []string) string { return joined(names, "and") }

func anyOf(names []string) string { return joined(names, "or") }

func joined(names []string, word string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = tick(n)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " " + word + " " + quoted[len(quoted)-1]
}
