package actions

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/lazyregexp"
	"weft/backend/permission/shell"
)

// CommandKey returns a command in the form in which actions compare it: its words, or the line that a shell is handed. It returns "" for words that
// no program can be started with, which are like no other.
func CommandKey(line string, args []string) string {
	if len(args) == 0 {
		// Only these separate words for a shell, whatever else is a space.
		if line = strings.Trim(line, " \t\n"); line == "" || strings.ContainsAny(line, "\x00;&|<>$`\n\r(){}*?[]~#!\"'\\=") {
			return shellLine + line
		}
		return strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' }), "\x00")
	}
	words := append([]string{line}, args...)
	if line == "" || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "\x00") }) {
		return ""
	}
	if script, ok := scriptIn(words); ok {
		return CommandKey(script, nil)
	}
	return strings.Join(words, "\x00")
}

// shellLine begins the key of a line that only a shell can read. The key of words begins with the name of a program.
const shellLine = "\x00"

// plainShells are those that the system brings, by the names and locations that mean them.
var plainShells = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "/bin/sh": true, "/bin/bash": true, "/bin/zsh": true, "/usr/bin/sh": true, "/usr/bin/bash": true, "/usr/bin/zsh": true,
}

// Run is a command as actions compare it.
type Run struct {
	Command string // as [CommandKey] returns it, of what is left of it without the shells that only read it
	Dir     string // in which it runs, as [Path] returns it
	Env     string // the variables that are set for it, but for those that change nothing; "" for none
}

// RunOf returns a command that is started in a folder of a space: a line for a shell, or a program with its arguments. Said is the line that is left of it.
// Ok is false for words that no program can be started with. It follows links to tell whether two folders are one.
func RunOf(folder, dir, line string, args []string, env map[string]string) (r Run, said string, ok bool) {
	at := dirOf(folder, dir)
	for range maxShells {
		script, isShell := scriptOf(line, args)
		if isShell {
			line, args = script, nil
			continue
		}
		if len(args) > 0 {
			break
		}
		to, rest, changes := entered(line)
		if !changes {
			break
		}
		to = dirOf(folder, Path(at, to))
		// Where the folder is missing, what is behind an operator would run in another one.
		if to != at && strings.HasPrefix(CommandKey(rest, nil), shellLine) {
			break
		}
		at, line = to, rest
	}
	key := CommandKey(line, args)
	return Run{Command: key, Dir: at, Env: envKey(env)}, strings.Join(append([]string{strings.TrimSpace(line)}, args...), " "), key != "" && key != shellLine
}

// maxShells is how many shells within each other, and folders that are entered, are looked through.
const maxShells = 8

// scriptOf returns the script that a shell is only there to read.
func scriptOf(line string, args []string) (script string, ok bool) {
	words := append([]string{line}, args...)
	if len(args) == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !plainShells[first] {
			return "", false
		}
		var err error
		if words, err = shell.FixedWords(line); err != nil {
			return "", false
		}
	}
	return scriptIn(words)
}

// scriptIn is scriptOf for a shell with its arguments.
func scriptIn(words []string) (script string, ok bool) {
	if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") && plainShells[words[0]] {
		return words[2], true
	}
	return "", false
}

// entering is a line that changes to a folder, and then does the rest.
var entering = lazyregexp.New(`(?s)^\s*cd[ \t]+(?:--[ \t]+)?('(?:[^']|'\\'')*'|"[^"$\x60\\!]*"|[A-Za-z0-9_./@%+=:,-]+)[ \t]*&&\s*(.+)$`)

// entered returns the folder that a line changes to, and the rest of the line.
func entered(line string) (to, rest string, ok bool) {
	m := entering.FindStringSubmatch(line)
	if m == nil || strings.HasPrefix(m[1], "-") {
		return "", "", false
	}
	to = m[1]
	if quote := to[0]; quote == '\'' || quote == '"' {
		to = strings.ReplaceAll(to[1:len(to)-1], `'\''`, `'`)
	}
	// A plain name could be looked for elsewhere, too.
	return to, m[2], strings.HasPrefix(to, "/") || strings.HasPrefix(to, ".")
}

// dirOf returns a folder as [Path] does; another name of the space's folder is that.
func dirOf(folder, dir string) string {
	at, own := Path(folder, dir), Path(folder, "")
	if at == own {
		return own
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		if ownReal, err := filepath.EvalSymlinks(own); err == nil && real == ownReal {
			return own
		}
	}
	return at
}

// envKey returns the variables of a command that may change what it does.
func envKey(env map[string]string) string {
	var list []string
	for name, value := range env {
		if !shell.QuietVariable(name, value) {
			list = append(list, name+"="+value)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\x00")
}

// runsAny reports whether one of its commands is one of runs, wherever and with whatever variables that runs.
func (a *Action) runsAny(runs []Run) bool {
	return slices.ContainsFunc(a.Runs, func(r Run) bool {
		return slices.ContainsFunc(runs, func(o Run) bool { return o.Command == r.Command })
	})
}

// runsOf returns the commands that the arguments of a tool name, none where they name none, or in a way that can't be compared.
func runsOf(folder string, input jsontext.Value) []Run {
	runs, _ := namedRuns(folder, input)
	return runs
}

// namedRuns is runsOf; said are the lines.
func namedRuns(folder string, input jsontext.Value) (runs []Run, said []string) {
	c, ok := commandsIn(input)
	if !ok {
		return nil, nil
	}
	for _, words := range c.lists {
		r, line, ok := RunOf(folder, c.dir, words[0], words[1:], c.env)
		if !ok {
			return nil, nil
		}
		runs, said = append(runs, r), append(said, line)
	}
	return runs, said
}

// commands are those that the arguments of a tool name.
type commands struct {
	lists [][]string // each a line, or a program with its arguments
	dir   string
	env   map[string]string
}

// commandsIn reads the arguments of a tool. Ok is false where they name no command, or say what Weft can't compare.
func commandsIn(input jsontext.Value) (c commands, ok bool) {
	var members map[string]jsontext.Value
	if json.Unmarshal(input, &members) != nil {
		return c, false
	}
	var more, lines []string
	named, listed := 0, false
	for name, value := range members {
		switch simplified(name) {
		case "commands":
			if json.Unmarshal(value, &lines) != nil {
				return c, false
			}
		case "command", "cmd", "script", "commandline":
			named++
			var line string
			if json.Unmarshal(value, &line) == nil {
				c.lists = [][]string{{line}}
				continue
			}
			var words []string
			if json.Unmarshal(value, &words) != nil || len(words) == 0 {
				return c, false
			}
			c.lists, listed = [][]string{words}, len(words) == 1
		case "args", "arguments":
			if json.Unmarshal(value, &more) != nil && value.Kind() != 'n' {
				return c, false
			}
		case "cwd", "workdir", "workingdirectory", "dir", "directory":
			if json.Unmarshal(value, &c.dir) != nil && value.Kind() != 'n' {
				return c, false
			}
		case "env", "environment":
			if c.env, ok = variablesIn(value); !ok {
				return c, false
			}
		}
	}
	switch {
	case named == 0 && len(more) == 0:
		for _, line := range lines {
			c.lists = append(c.lists, []string{line})
		}
	case named != 1 || len(lines) > 1 || len(lines) == 1 && (len(more) > 0 || len(c.lists[0]) > 1 || lines[0] != c.lists[0][0]):
		return c, false // which of them counts only the agent knows
	default:
		c.lists[0] = append(c.lists[0], more...)
	}
	if listed && len(more) == 0 && strings.ContainsAny(c.lists[0][0], " \t\r\n") {
		return c, false
	}
	return c, len(c.lists) > 0
}

// simplified is the name of an argument without case and underscores: agents spell the same one in several ways.
func simplified(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// variablesIn reads the variables of a command, in one of the forms that agents use.
func variablesIn(value jsontext.Value) (env map[string]string, ok bool) {
	if value.Kind() == 'n' || json.Unmarshal(value, &env) == nil {
		return env, true
	}
	env = map[string]string{}
	var lines []string
	if json.Unmarshal(value, &lines) == nil {
		for _, line := range lines {
			name, value, ok := strings.Cut(line, "=")
			if !ok {
				return nil, false
			}
			env[name] = value
		}
		return env, true
	}
	var list []struct{ Name, Value string }
	if json.Unmarshal(value, &list, json.MatchCaseInsensitiveNames(true)) != nil {
		return nil, false
	}
	for _, v := range list {
		env[v.Name] = v.Value
	}
	return env, true
}
