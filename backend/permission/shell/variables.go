package shell

import (
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"
)

// harmlessVariables don't change what a command does, with any plain value. COLUMNS, LINES and other numbers are
// excluded because zsh evaluates their values.
var harmlessVariables = map[string]bool{
	"CI": true, "NODE_ENV": true, "LANG": true, "TZ": true, "TERM": true, "NO_COLOR": true, "FORCE_COLOR": true, "CLICOLOR": true,
	"RUST_BACKTRACE": true, "RUST_LOG": true, "CGO_ENABLED": true, "GOOS": true, "GOARCH": true,
	"PYTHONUNBUFFERED": true, "PYTHONDONTWRITEBYTECODE": true, "DEBUG": true, "LC_ALL": true, "LC_CTYPE": true,
}

// HarmlessVariable reports whether setting a variable to any plain value doesn't change what a command does.
func HarmlessVariable(name string) bool { return harmlessVariables[name] }

var plainValues = lazyregexp.New(`^(?:[A-Za-z0-9_.,:*=+@-]+(?:/[A-Za-z0-9_+-]+)*)?$`)

// plainValue reports whether a variable may be set to value.
func plainValue(value string) bool {
	return plainValues.MatchString(value) && !strings.HasPrefix(value, ":")
}

// quietVariables keep a command from waiting for a user, with the only values that do nothing else. Agents set them
// for every command.
var quietVariables = map[string][]string{
	"PAGER": {"cat", ""}, "GIT_PAGER": {"cat", ""}, "MANPAGER": {"cat", ""}, "GIT_TERMINAL_PROMPT": {"0"}, "NO_COLOR": {"1"}, "FORCE_COLOR": {"0", "1"},
	"CI": {"1", "true"}, "TERM": {"dumb", "xterm", "xterm-256color"}, "COLORTERM": {"truecolor"}, "CLAUDECODE": {"1"}, "GIT_EDITOR": {"true"},
}

// keyVariables matches names of variables for keys. Setting one to "" only removes a key. Package secret has a
// separate list of the variables to hide.
var keyVariables = lazyregexp.New(`^[A-Z][A-Z0-9_]*(KEY|KEYS|TOKEN|SECRET|PASSWORD|CREDENTIALS|CREDENTIALS_JSON)$`)

// QuietVariable reports whether a variable doesn't change what a command of Weft does, so that the user isn't shown
// it: it keeps the command quiet, or removes a key from its environment.
func QuietVariable(name, value string) bool {
	if values, ok := quietVariables[name]; ok {
		return slices.Contains(values, value)
	}
	if base := BaseName(value); name == "SHELL" {
		return shells[base] && IsSystemProgram(value, base)
	}
	return value == "" && keyVariables.MatchString(name)
}

// Quiet returns variables, in the form of os.Environ, that keep a command from using a pager and from waiting for a
// user.
func Quiet() []string {
	var list []string
	for _, name := range []string{"PAGER", "GIT_PAGER", "MANPAGER", "GIT_TERMINAL_PROMPT", "GIT_EDITOR", "NO_COLOR"} {
		list = append(list, name+"="+quietVariables[name][0])
	}
	return list
}
