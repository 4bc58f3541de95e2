package editor

import (
	"path/filepath"
	"slices"
	"strings"
)

// envEditor is the editor in $VISUAL or $EDITOR.
type envEditor struct {
	name      string
	words     []string // the command without the place
	graphical bool
	args      func(Place) []string
}

// graphical has the other editors with a window, by program.
var graphical = map[string]func(Place) []string{
	"windsurf": goTo, "kate": short("-l", "-c"), "kwrite": short("-l", "-c"), "geany": lineAndColumn,
	"gedit": plusPair(":"), "gnome-text-editor": plusPair(":"), "xed": plusLine, "pluma": plusLine,
	"gvim": cursorCall, "mvim": cursorCall, "emacs": plusPair(":"), "emacsclient": plusPair(":"), "bbedit": plusLine,
}

// inTerminal has editors that need a terminal, by program. Other editors get the line as +N.
var inTerminal = map[string]func(Place) []string{
	"vim": cursorCall, "nvim": cursorCall, "nano": plusPair(","), "micro": plusPair(":"), "kak": plusPair(":"), "hx": suffixed, "helix": suffixed,
}

// textOnly are options that make Emacs run in a terminal. waits are options that make an editor stay in the foreground.
var (
	textOnly = []string{"-nw", "--no-window-system", "-t", "--tty"}
	waits    = []string{"-w", "--wait"}
)

func (m Machine) fromEnv() (envEditor, bool) {
	command := m.Getenv("VISUAL")
	if strings.TrimSpace(command) == "" {
		command = m.Getenv("EDITOR")
	}
	words, wrong := split(command)
	if wrong != "" || len(words) == 0 {
		return envEditor{}, false
	}
	words = slices.DeleteFunc(words, func(word string) bool { return slices.Contains(waits, word) })
	if len(words) == 0 {
		return envEditor{}, false
	}
	name := strings.TrimSuffix(filepath.Base(words[0]), ".exe")
	e := envEditor{name: name, words: words, args: plusLine}
	text := slices.ContainsFunc(words[1:], func(word string) bool { return slices.Contains(textOnly, word) })
	for _, k := range known {
		if slices.Contains(k.programs, name) {
			e.graphical, e.args = true, k.args
			return e, true
		}
	}
	if args, ok := graphical[name]; ok {
		e.graphical, e.args = !text, args
	} else if args, ok := inTerminal[name]; ok {
		e.args = args
	}
	return e, true
}

func (m Machine) envCommand(at Place) (Command, error) {
	e, ok := m.fromEnv()
	if !ok {
		return Command{}, missing("neither VISUAL nor EDITOR is set")
	}
	program := m.Look(e.words[0])
	if program == "" {
		return Command{}, missing("{{name}} wasn't found", e.words[0])
	}
	args := append(slices.Clone(e.words[1:]), e.args(at)...)
	if e.graphical {
		return Command{Name: e.name, Program: program, Args: args}, nil
	}
	terminal, before := m.terminal()
	if terminal == "" {
		return Command{}, missing("no terminal was found for {{name}}", e.name)
	}
	return Command{Name: e.name, Program: terminal, Args: slices.Concat(before, []string{program}, args)}, nil
}

// terminals are terminal emulators, with the arguments before the command that they run.
var terminals = []struct {
	program string
	before  []string
}{
	{"x-terminal-emulator", []string{"-e"}},
	{"ghostty", []string{"-e"}},
	{"kitty", nil},
	{"alacritty", []string{"-e"}},
	{"wezterm", []string{"start", "--"}},
	{"foot", nil},
	{"gnome-terminal", []string{"--"}},
	{"ptyxis", []string{"--"}},
	{"konsole", []string{"-e"}},
	{"xfce4-terminal", []string{"-x"}},
	{"xterm", []string{"-e"}},
}

func (m Machine) terminal() (program string, before []string) {
	for _, t := range terminals {
		if path := m.Look(t.program); path != "" {
			return path, t.before
		}
	}
	return "", nil
}

// plusLine returns the line as +N before the path.
func plusLine(at Place) []string {
	if at.Line == 0 {
		return []string{at.Path}
	}
	return []string{"+" + line(at), at.Path}
}

// plusPair returns the line and column as +N:C before the path.
func plusPair(between string) func(Place) []string {
	return func(at Place) []string {
		if at.Line == 0 {
			return []string{at.Path}
		}
		return []string{"+" + line(at) + between + column(at), at.Path}
	}
}

// cursorCall returns the arguments with which Vim goes to a line and column.
func cursorCall(at Place) []string {
	if at.Line == 0 {
		return []string{at.Path}
	}
	return []string{"+call cursor(" + line(at) + "," + column(at) + ")", at.Path}
}

// short returns the line and column as options before the path.
func short(lineOption, columnOption string) func(Place) []string {
	return func(at Place) []string {
		if at.Line == 0 {
			return []string{at.Path}
		}
		return []string{lineOption, line(at), columnOption, column(at), at.Path}
	}
}
