package permission

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Suggestion is what rules could say that cover a request, for the person to edit.
type Suggestion struct {
	Kind     string
	Tool     string   // as in [Subject]
	Commands []string // one prefix for each simple command
	Paths    []string // globs for the files that the tool touches
	Writes   []string // globs for the files that redirections write
	Unclear  string   // as in [Subject]
}

// Suggest answers rules that cover a request and not much more.
func Suggest(s *Subject) Suggestion {
	out := Suggestion{Kind: s.Kind, Tool: s.Tool, Commands: []string{}, Paths: []string{}, Writes: []string{}, Unclear: s.Unclear}
	for i := range s.Commands {
		c := &s.Commands[i]
		if c.Wrapped || !c.Fixed[0] || c.Words[0] == "" || len(out.Commands) >= 8 {
			continue
		}
		if prefix := prefixOf(c); prefix != "" && !slices.Contains(out.Commands, prefix) {
			out.Commands = append(out.Commands, prefix)
		}
	}
	if touchesFiles(s.Kind) {
		if glob := globOf(s.Files); glob != "" {
			out.Paths = append(out.Paths, glob)
		}
	}
	if glob := globOf(s.Writes); glob != "" {
		out.Writes = append(out.Writes, glob)
	}
	return out
}

// Programs whose second word says what they do.
var subcommands = map[string]bool{
	"git": true, "go": true, "npm": true, "pnpm": true, "yarn": true, "bun": true, "cargo": true, "docker": true, "podman": true, "kubectl": true,
	"make": true, "just": true, "task": true, "pip": true, "pip3": true, "uv": true, "poetry": true, "gh": true, "dotnet": true, "terraform": true, "brew": true, "apt": true,
	"apt-get": true, "systemctl": true, "helm": true, "gradle": true, "mvn": true, "rake": true, "bundle": true, "composer": true, "deno": true, "swift": true, "mix": true,
}

// Programs that are harmless to name alone.
var readers = map[string]bool{
	"ls": true, "cat": true, "head": true, "tail": true, "wc": true, "grep": true, "rg": true, "pwd": true, "echo": true, "printf": true, "which": true, "file": true,
	"stat": true, "du": true, "df": true, "date": true, "whoami": true, "uname": true, "tree": true, "diff": true, "sort": true, "uniq": true, "cut": true, "basename": true,
	"dirname": true, "realpath": true, "true": true, "test": true, "jq": true, "cd": true, "find": true, "gofmt": true, "pytest": true, "eslint": true, "tsc": true, "vitest": true, "jest": true,
}

// prefixOf is the beginning of a command that says what it does.
func prefixOf(c *Command) string {
	n := 1
	switch name := c.Words[0]; {
	case subcommands[name]:
		for n < len(c.Words) && n < 2 && c.Fixed[n] && !strings.HasPrefix(c.Words[n], "-") {
			n++
		}
		if n == 2 && len(c.Words) > 2 && c.Fixed[2] && (c.Words[1] == "run" || c.Words[1] == "exec" || c.Words[1] == "compose" || c.Words[1] == "tool") {
			n++
		}
		if n == 1 {
			n = fixedWords(c) // options first: nothing shorter says what it does
		}
	case readers[name]:
	default:
		n = fixedWords(c)
	}
	words := make([]string, n)
	for i := range words {
		quoted, err := syntax.Quote(c.Words[i], syntax.LangBash)
		if err != nil {
			return ""
		}
		words[i] = quoted
	}
	prefix := strings.Join(words, " ")
	if _, err := prefixWords(prefix); err != nil || len(prefix) > maxRuleText {
		return ""
	}
	return prefix
}

func fixedWords(c *Command) int {
	n := 1
	for n < len(c.Words) && n < 12 && c.Fixed[n] {
		n++
	}
	return n
}

// globOf is the folder that holds all the files, or the one file itself where that would be
// the whole folder of the space.
func globOf(files []File) string {
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

// literal is a glob that means the name as it stands.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(name)
}
