package terminal

import (
	"context"
	"maps"
	"path/filepath"
	"runtime"
	"strings"

	"weft/backend/agent"
)

// operators are what tells a command line from a program's name.
const operators = " \t\r\n|&;<>()$`\\\"'*?[]{}#~=!"

// program returns what has to be started for a command. A command that is no program but reads
// like a line for a shell goes to one, with its arguments, if there are any, quoted.
//
// That is bash where there is one, else sh: models write for these. It is not the user's own
// shell, which may be fish or nu and understands other things, and it is no login shell: its
// start-up files take time and print, and the one thing they are needed for, the
// PATH, the program has anyway (see agent.Paths).
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

// environment is what a command gets beside Weft's own environment: that it has a terminal
// with colors, and that nobody sits before it. What the agent sets is stronger. The
// environment that the user gave to the agent itself, with its keys, is not in it.
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

// typedEnvironment is environment for a command before which the user sits.
func typedEnvironment(own map[string]string) map[string]string {
	env := map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}
	maps.Copy(env, own)
	return env
}

// Line is the command as a user would type it.
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
