package permission

import (
	"path"
	"slices"
	"strings"

	"weft/backend/lazyregexp"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
	"weft/backend/permission/unclear"
)

// Suggestion is what rules could say that cover a request, for the user to edit.
type Suggestion struct {
	Kind     string
	Tool     string   // as in [Subject]
	Commands []string // for each simple command that does something: its known form, or all of it
	Paths    []string // globs for the files that the tool touches
	Writes   []string // globs for the files that redirections write
	Unclear  string   // as in [Subject], and of what is written: why the rules don't cover this request
}

// Suggest returns rules that cover a request, where rules about commands can, and not much more.
func Suggest(s *Subject) Suggestion {
	out := Suggestion{Kind: s.Kind, Tool: s.Tool, Commands: []string{}, Paths: []string{}, Writes: []string{}, Unclear: s.Unclear}
	idle := s.idle()
	for i := range s.Commands {
		c := &s.Commands[i]
		if c.Wrapped || c.Idle() && !idle || len(out.Commands) >= 8 {
			continue
		}
		if words := ruleFor(c); words != "" && !slices.Contains(out.Commands, words) {
			out.Commands = append(out.Commands, words)
		}
	}
	if touchesFiles(s.Kind) {
		if glob := globOf(s.Files); glob != "" {
			out.Paths = append(out.Paths, glob)
		}
	}
	// The rules are of use for other lines then.
	switch elsewhere := func(f files.File) bool { return f.Real == "" }; {
	case out.Unclear != "":
	case slices.ContainsFunc(s.Writes, elsewhere):
		out.Unclear = unclear.Outside
	case s.reach.unsettled:
		out.Unclear = unclear.Moves
	}
	if glob := globOf(s.Writes); glob != "" {
		out.Writes = append(out.Writes, glob)
	}
	return out
}

// ruleFor is the shortest text of a rule that covers a command: the name of its known form, else the whole command. It is empty where no
// rule about commands covers it.
func ruleFor(c *shell.Command) string {
	list := c.Words
	if c.Unsettled {
		return ""
	}
	if c.Use != nil {
		list = c.Use.Name
	} else if !c.Exact() {
		return ""
	}
	words := make([]string, len(list))
	for i, w := range list {
		if words[i] = w; !plainWord.MatchString(w) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	text := strings.Join(words, " ")
	if read, err := shell.FixedWords(text); err != nil || len(text) > maxRuleText || strings.ContainsAny(text, "\x00\n\r") || !slices.Equal(read, list) {
		return ""
	}
	return text
}

// plainWord is a word that needs no quotes.
var plainWord = lazyregexp.New(`^[A-Za-z0-9_./:,@%+-][A-Za-z0-9_./:,@%+=-]*$`)

// globOf is the folder that holds all the files, or the one file itself where that would be
// the whole folder of the space.
func globOf(files []files.File) string {
	common := ""
	for i, f := range files {
		if f.Real == "" {
			return ""
		}
		dir := path.Dir(f.Real)
		if i == 0 {
			common = dir
		}
		for common != "." && dir != common && !strings.HasPrefix(dir, common+"/") {
			common = path.Dir(common)
		}
	}
	switch {
	case len(files) == 0:
		return ""
	case common != ".":
		return literal(common) + "/**"
	case len(files) == 1 && files[0].Real != ".":
		return literal(files[0].Real)
	}
	return "**"
}

// literal is a glob that means the name as it is.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(name)
}
