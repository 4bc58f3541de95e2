package terminal

import (
	"context"
	"maps"
	"path/filepath"
	"runtime"
	"strings"

	"weft/backend/agent"
)

// operators are characters that distinguish a command line from a program's name.
const operators = " \t\r\n|&;<>()$`\\\"'*?[]{}#~=!"

// program returns the program and arguments to start for a command. If the command isn't a program but looks like a
// shell command line, a shell runs it, with its arguments quoted.
//
// The shell is cmd.exe on Windows, elsewhere bash if it is installed, otherwise sh: models write for these. It is not
// the user's own shell, which may be fish or nu and have another syntax. It is not a login shell either: start-up files
// are slow and print output, and the program already has the PATH that they would set (see agent.Paths).
func program(ctx context.Context, paths *agent.Paths, s Spec) (command string, args []string) {
	command = s.Command
	if strings.ContainsAny(command, `/\`) && !filepath.IsAbs(command) && !strings.HasPrefix(command, "~/") {
		command = filepath.Join(s.Dir, command)
	}
	if !strings.ContainsAny(s.Command, operators) {
		return command, s.Args
	}
	if path, err := paths.Look(ctx, command); err == nil {
		return path, s.Args
	}
	line := s.Command
	for _, arg := range s.Args {
		line += " " + quoted(arg)
	}
	if runtime.GOOS == "windows" {
		if path, err := paths.Look(ctx, "cmd.exe"); err == nil {
			return path, []string{"/d", "/s", "/c", line}
		}
	}
	if path, err := paths.Look(ctx, "bash"); err == nil {
		return path, []string{"-c", line}
	}
	return "/bin/sh", []string{"-c", line}
}

// environment returns the variables that a command gets in addition to Weft's own environment: they announce a color
// terminal without a user. The agent's variables override them. The environment that the user configured for the agent
// itself, with its keys, is not included.
func environment(own map[string]string) map[string]string {
	env := map[string]string{
		"TERM": "xterm-256color", "COLORTERM": "truecolor",
		"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "GIT_TERMINAL_PROMPT": "0",
	}
	for key, value := range own {
		env[key] = value
	}
	return env
}

// typedEnvironment is environment for a command that the user types into.
func typedEnvironment(own map[string]string) map[string]string {
	env := map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}
	maps.Copy(env, own)
	return env
}

// Line returns the command as a user would type it.
func (s Spec) Line() string {
	if len(s.Args) == 0 {
		return s.Command
	}
	words := make([]string, 0, len(s.Args)+1)
	for _, word := range append([]string{s.Command}, s.Args...) {
		words = append(words, quoted(word))
	}
	return strings.Join(words, " ")
}

func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, operators) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
