package actions

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") && plainShells[words[0]] {
		return CommandKey(words[2], nil)
	}
	return strings.Join(words, "\x00")
}

// shellLine begins the key of a line that only a shell can read. The key of words begins with the name of a program.
const shellLine = "\x00"

// plainShells are those that the system brings, by the names and locations that mean them.
var plainShells = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "/bin/sh": true, "/bin/bash": true, "/bin/zsh": true, "/usr/bin/sh": true, "/usr/bin/bash": true, "/usr/bin/zsh": true,
}

// commandOf returns the command that the arguments of a tool name, "" where they name none or set anything besides its folder.
func commandOf(input jsontext.Value) (command, dir string) {
	var members map[string]jsontext.Value
	if json.Unmarshal(input, &members) != nil {
		return "", ""
	}
	line, args, named, listed := "", []string(nil), 0, false
	for name, value := range members {
		switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
		case "command", "cmd", "script", "commandline":
			named++
			if json.Unmarshal(value, &line) == nil {
				continue
			}
			var words []string
			if json.Unmarshal(value, &words) != nil || len(words) == 0 {
				return "", ""
			}
			line, args, listed = words[0], append(words[1:], args...), true
		case "args", "arguments":
			var more []string
			if json.Unmarshal(value, &more) != nil && value.Kind() != 'n' {
				return "", ""
			}
			args = append(args, more...)
		case "cwd", "workdir", "workingdirectory", "dir", "directory":
			if json.Unmarshal(value, &dir) != nil && value.Kind() != 'n' {
				return "", ""
			}
		case "env", "environment":
			if text := string(value); text != "null" && text != "{}" && text != "[]" {
				return "", ""
			}
		}
	}
	if named != 1 || listed && len(args) == 0 && strings.ContainsAny(line, " \t\r\n") {
		return "", ""
	}
	return CommandKey(line, args), dir
}
