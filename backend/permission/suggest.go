package permission

import (
	"path"
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
	"weft/backend/permission/unclear"
)

// Suggestion is the text of rules that would cover a request. The user can edit it.
type Suggestion struct {
	Kind     string
	Tool     string   // as in [Subject]
	Commands []string // for each simple command with an effect: its known form, or the whole command
	Paths    []string // globs for the files that the tool touches
	Writes   []string // globs for the files that redirections write
	Unclear  string   // as in [Subject], also for the written files: why the rules don't cover this request
}

// Suggest returns rules that cover the request and not much more, as far as rules can.
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
	// If the request is unclear, the rules are only useful for other command lines.
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

// ruleFor returns the shortest rule text that covers a command: the name of its known form, or else the whole command.
// It returns "" if no rule about commands can cover it.
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

// plainWord matches a word that needs no quotes.
var plainWord = lazyregexp.New(`^[A-Za-z0-9_./:,@%+-][A-Za-z0-9_./:,@%+=-]*$`)

// globOf returns a glob for the closest folder that contains all files. If that is the whole folder of the space and
// there is only one file, it returns a glob for the file.
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

// literal returns a glob that matches exactly that name.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(name)
}
