package shell

import (
	"slices"
	"strings"

	"weft/backend/lazyregexp"
)

// harmlessVariables are those that a command may be given without becoming another one, with any plain value. zsh evaluates what COLUMNS,
// LINES and other numbers are set to.
var harmlessVariables = map[string]bool{
	"CI": true, "NODE_ENV": true, "LANG": true, "TZ": true, "TERM": true, "NO_COLOR": true, "FORCE_COLOR": true, "CLICOLOR": true,
	"RUST_BACKTRACE": true, "RUST_LOG": true, "CGO_ENABLED": true, "GOOS": true, "GOARCH": true,
	"PYTHONUNBUFFERED": true, "PYTHONDONTWRITEBYTECODE": true, "DEBUG": true, "LC_ALL": true, "LC_CTYPE": true,
}

// HarmlessVariable reports whether a command that is given a variable with that name stays the same one, with any plain value.
func HarmlessVariable(name string) bool { return harmlessVariables[name] }

var plainValues = lazyregexp.New(`^(?:[A-Za-z0-9_.,:*=+@-]+(?:/[A-Za-z0-9_+-]+)*)?$`)

// plainValue reports whether a variable may be set to that.
func plainValue(value string) bool {
	return plainValues.MatchString(value) && !strings.HasPrefix(value, ":")
}

// quietVariables keep a command from waiting for a user, with the only values that do nothing else. Agents set them for every command.
var quietVariables = map[string][]string{
	"PAGER": {"cat", ""}, "GIT_PAGER": {"cat", ""}, "MANPAGER": {"cat", ""}, "GIT_TERMINAL_PROMPT": {"0"}, "NO_COLOR": {"1"}, "FORCE_COLOR": {"0", "1"},
	"CI": {"1", "true"}, "TERM": {"dumb", "xterm", "xterm-256color"}, "COLORTERM": {"truecolor"}, "CLAUDECODE": {"1"}, "GIT_EDITOR": {"true"},
}

// keyVariables are names under which keys are kept, so that emptying one only takes something away. Package secret has its own list of what has
// to be hidden.
var keyVariables = lazyregexp.New(`^[A-Z][A-Z0-9_]*(KEY|KEYS|TOKEN|SECRET|PASSWORD|CREDENTIALS|CREDENTIALS_JSON)$`)

// QuietVariable reports whether a variable of a command that Weft starts changes nothing of what it does, so that the user isn't told about it: it
// keeps the command quiet, or takes a key away from it.
func QuietVariable(name, value string) bool {
	if values, ok := quietVariables[name]; ok {
		return slices.Contains(values, value)
	}
	if base := BaseName(value); name == "SHELL" {
		return shells[base] && IsSystemProgram(value, base)
	}
	return value == "" && keyVariables.MatchString(name)
}

// Quiet returns the variables, in the form of os.Environ, with which a command neither pages nor waits for a user.
func Quiet() []string {
	var list []string
	for _, name := range []string{"PAGER", "GIT_PAGER", "MANPAGER", "GIT_TERMINAL_PROMPT", "GIT_EDITOR", "NO_COLOR"} {
		list = append(list, name+"="+quietVariables[name][0])
	}
	return list
}
