package actions

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/lazyregexp"
	"weft/backend/permission"
	"weft/backend/permission/files"
	"weft/backend/permission/shell"
)

// CommandKey returns a command in the form in which actions compare commands: its words, or a line that only a shell
// can read. It returns "", which equals no other key, for words that can't be started as a program.
func CommandKey(line string, args []string) string {
	if len(args) == 0 {
		// Only these characters separate words in a shell, whatever other spaces there are.
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

// shellLine is the prefix of the key of a line that only a shell can read. Other keys begin with the name of a
// program.
const shellLine = "\x00"

// plainShells are the names and paths of the shells of the system.
var plainShells = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "/bin/sh": true, "/bin/bash": true, "/bin/zsh": true, "/usr/bin/sh": true, "/usr/bin/bash": true, "/usr/bin/zsh": true,
}

// Run is a command in the form in which actions compare commands.
type Run struct {
	Command string // see [CommandKey]; without shells that only run it
	Dir     string // working directory; see [Path]
	Env     string // environment variables that may change what it does, or ""
}

// RunOf returns a command that is started in a folder of a space: a line for a shell, or a program with arguments.
// said is the command line without shells that only run it. ok is false for words that can't be started as a program.
// It resolves symbolic links to compare folders.
func RunOf(place permission.Place, dir, line string, args []string, env map[string]string) (r Run, said string, ok bool) {
	at := dirOf(place, dir)
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
		to = dirOf(place, Path(at, to))
		// If the folder is missing, a command after an operator would run in another folder.
		if to != at && strings.HasPrefix(CommandKey(rest, nil), shellLine) {
			break
		}
		at, line = to, rest
	}
	key := CommandKey(line, args)
	return Run{Command: key, Dir: at, Env: envKey(env)}, strings.Join(append([]string{strings.TrimSpace(line)}, args...), " "), key != "" && key != shellLine
}

// maxShells limits how many nested shells and changes of the folder are unwrapped.
const maxShells = 8

// scriptOf returns the script of a shell that only runs it.
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

// scriptIn is like scriptOf for a shell with arguments.
func scriptIn(words []string) (script string, ok bool) {
	if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") && plainShells[words[0]] {
		return words[2], true
	}
	return "", false
}

// entering matches a line that changes to a folder and then runs the rest.
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
	// A plain name may be searched in other folders (CDPATH).
	return to, m[2], strings.HasPrefix(to, "/") || strings.HasPrefix(to, ".")
}

// dirOf is like [Path] for a folder. It returns the same path for all names of the space's folder.
func dirOf(place permission.Place, dir string) string {
	at, own := Path(place.Folder, dir), Path(place.Folder, "")
	if at != own && files.Open(own, place.Disk).Is(at) {
		return own
	}
	return at
}

// envKey returns the environment variables that may change what a command does.
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

// runsAny reports whether one of the action's commands is in runs, ignoring folders and variables.
func (a *Action) runsAny(runs []Run) bool {
	return slices.ContainsFunc(a.Runs, func(r Run) bool {
		return slices.ContainsFunc(runs, func(o Run) bool { return o.Command == r.Command })
	})
}

// runsOf returns the commands in the arguments of a tool, or none if they can't be compared.
func runsOf(at permission.Place, input jsontext.Value) []Run {
	runs, _ := namedRuns(at, input)
	return runs
}

// namedRuns is like runsOf. said are the command lines.
func namedRuns(at permission.Place, input jsontext.Value) (runs []Run, said []string) {
	c, ok := commandsIn(input)
	if !ok {
		return nil, nil
	}
	for _, words := range c.lists {
		r, line, ok := RunOf(at, c.dir, words[0], words[1:], c.env)
		if !ok {
			return nil, nil
		}
		runs, said = append(runs, r), append(said, line)
	}
	return runs, said
}

// commands are the commands in the arguments of a tool.
type commands struct {
	lists [][]string // each is a line, or a program with arguments
	dir   string
	env   map[string]string
}

// commandsIn reads the arguments of a tool. ok is false if they contain no command, or something that Weft can't
// compare.
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
		return c, false // only the agent knows which one counts
	default:
		c.lists[0] = append(c.lists[0], more...)
	}
	if listed && len(more) == 0 && strings.ContainsAny(c.lists[0][0], " \t\r\n") {
		return c, false
	}
	return c, len(c.lists) > 0
}

// simplified returns the name of an argument in lower case without underscores, because agents spell the same name in
// several ways.
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
