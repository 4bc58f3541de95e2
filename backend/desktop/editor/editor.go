// Package editor opens files in the user's editor, at a line.
//
// It knows the command lines of common editors, finds which ones are installed, and starts one without a shell. Paths
// are always absolute, so that no file name can become an option, and each value is a separate argument.
package editor

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/fault"
)

// The values of Choice.Use that aren't editors.
const (
	Auto   = "auto"   // the first editor found; the same as ""
	Env    = "env"    // the editor in $VISUAL or $EDITOR, in a terminal if it needs one
	Custom = "custom" // Choice.Command
)

// Choice is the user's choice of an editor.
type Choice struct {
	Use     string // "", Auto, Env, Custom or the id of a known editor
	Command string // of Custom, see [CheckCommand]
}

// Place is a position in a file to open.
type Place struct {
	Path         string // absolute
	Line, Column int    // from 1; 0 if unknown
}

// Command is a program and its arguments.
type Command struct {
	Name    string // of the editor, for error messages
	Program string // its path
	Args    []string
}

// Known is an editor whose command line Weft knows.
type Known struct {
	ID, Name string
	programs []string // names to look for, best first
	apps     []string // paths of its command-line program on macOS
	args     func(Place) []string
}

// All returns the known editors in the order in which Auto looks for them.
func All() []Known { return known }

// Uses returns all valid values of Choice.Use except "".
func Uses() []string {
	uses := []string{Auto}
	for _, k := range known {
		uses = append(uses, k.ID)
	}
	return append(uses, Env, Custom)
}

var known = []Known{
	{
		ID: "vscode", Name: "Visual Studio Code", programs: []string{"code", "code-insiders", "codium"}, args: goTo,
		apps: []string{"/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code", "/Applications/VSCodium.app/Contents/Resources/app/bin/codium"},
	},
	{ID: "cursor", Name: "Cursor", programs: []string{"cursor"}, args: goTo, apps: []string{"/Applications/Cursor.app/Contents/Resources/app/bin/cursor"}},
	{ID: "zed", Name: "Zed", programs: []string{"zed", "zeditor"}, args: suffixed, apps: []string{"/Applications/Zed.app/Contents/MacOS/cli"}},
	jetBrains("idea", "IntelliJ IDEA", "intellij-idea-ultimate", "intellij-idea-community"),
	jetBrains("goland", "GoLand"),
	jetBrains("webstorm", "WebStorm"),
	jetBrains("pycharm", "PyCharm", "pycharm-professional", "pycharm-community"),
	jetBrains("clion", "CLion"),
	jetBrains("rustrover", "RustRover"),
	jetBrains("phpstorm", "PhpStorm"),
	jetBrains("rider", "Rider"),
	{ID: "sublime", Name: "Sublime Text", programs: []string{"subl"}, args: suffixed, apps: []string{"/Applications/Sublime Text.app/Contents/SharedSupport/bin/subl"}},
}

func jetBrains(id, name string, others ...string) Known {
	app := "/Applications/" + name + ".app/Contents/MacOS/" + id
	return Known{ID: id, Name: name, programs: append([]string{id}, others...), args: lineAndColumn, apps: []string{app}}
}

func byID(id string) *Known {
	if i := slices.IndexFunc(known, func(k Known) bool { return k.ID == id }); i >= 0 {
		return &known[i]
	}
	return nil
}

// Machine is the system on which to look for editors.
type Machine struct {
	OS     string                   // as runtime.GOOS
	Home   string                   // the user's home folder
	Getenv func(name string) string // the environment
	Look   func(name string) string // returns the path of a program, given its name or path; "" if there is none
}

// Find returns the program of a known editor, or "".
func (m Machine) Find(k Known) string {
	for _, name := range k.programs {
		// The ZFS event daemon has the same name as an editor.
		if path := m.Look(name); path != "" && filepath.Base(filepath.Dir(path)) != "sbin" {
			return path
		}
		for _, dir := range m.toolbox() {
			if path := m.Look(filepath.Join(dir, name)); path != "" {
				return path
			}
		}
	}
	if m.OS == "darwin" {
		for _, app := range k.apps {
			for _, path := range []string{app, m.Home + app} {
				if found := m.Look(path); found != "" {
					return found
				}
			}
		}
	}
	return ""
}

// toolbox returns the folders in which JetBrains Toolbox keeps the commands of its editors.
func (m Machine) toolbox() []string {
	switch m.OS {
	case "darwin":
		return []string{filepath.Join(m.Home, "Library", "Application Support", "JetBrains", "Toolbox", "scripts")}
	case "linux":
		return []string{filepath.Join(m.Home, ".local", "share", "JetBrains", "Toolbox", "scripts")}
	}
	return nil
}

// Automatic returns the id and the name of the editor that Auto opens: a known one, or [Env]; "" if there is none.
func (m Machine) Automatic() (id, name string) {
	for _, k := range known {
		if m.Find(k) != "" {
			return k.ID, k.Name
		}
	}
	if e, ok := m.fromEnv(); ok && e.graphical && m.Look(e.words[0]) != "" {
		return Env, e.name
	}
	return "", ""
}

// Command returns the command that opens a place in the chosen editor. Errors: invalid for a path that is not absolute
// or an invalid command, editor_missing, and editor_failed if Windows has only a batch file, which can't take the path.
func (m Machine) Command(c Choice, at Place) (Command, error) {
	cmd, err := m.command(c, at)
	if err == nil && m.OS == "windows" && isBatch(cmd.Program) && slices.ContainsFunc(cmd.Args, unsafeInBatch) {
		err = fault.New("editor_failed", "Couldn't open the editor: {{name}} is started by a batch file, which can't take the name of this file.", cmd.Name)
	}
	return cmd, err
}

// isBatch reports whether Windows runs a program in its command shell, which interprets some characters in arguments.
func isBatch(program string) bool {
	end := strings.ToLower(filepath.Ext(program))
	return end == ".cmd" || end == ".bat"
}

func unsafeInBatch(arg string) bool { return strings.ContainsAny(arg, "&|<>^%!\"\r\n") }

func (m Machine) command(c Choice, at Place) (Command, error) {
	if !filepath.IsAbs(at.Path) || strings.ContainsRune(at.Path, 0) {
		return Command{}, fault.New(fault.Invalid, "The path of the file must be absolute.")
	}
	use := c.Use
	if use == "" || use == Auto {
		if use, _ = m.Automatic(); use == "" {
			return Command{}, missing("no editor was found")
		}
	}
	switch use {
	case Env:
		return m.envCommand(at)
	case Custom:
		return m.customCommand(c.Command, at)
	}
	k := byID(use)
	if k == nil {
		return Command{}, fault.New(fault.Invalid, "There is no editor {{use}}.", strconv.Quote(use))
	}
	program := m.Find(*k)
	if program == "" {
		return Command{}, missing("{{name}} wasn't found", k.programs[0])
	}
	return Command{Name: k.Name, Program: program, Args: k.args(at)}, nil
}

func missing(template fault.Template, values ...any) error {
	return fault.New("editor_missing", "Couldn't open the editor: {{why}}. Choose an editor in Settings.", fault.Say(template, values...))
}

// goTo returns the arguments with which VS Code and its forks open a place.
func goTo(at Place) []string { return append([]string{"-g"}, suffixed(at)...) }

// suffixed returns a path followed by its line and column. A path whose end looks like a line number gets a line too.
func suffixed(at Place) []string {
	if at.Line == 0 && !endsLikeLine(at.Path) {
		return []string{at.Path}
	}
	return []string{at.Path + ":" + line(at) + ":" + column(at)}
}

func endsLikeLine(path string) bool {
	i := strings.LastIndexByte(path, ':')
	return i >= 0 && i < len(path)-1 && strings.Trim(path[i+1:], "0123456789") == ""
}

func lineAndColumn(at Place) []string {
	if at.Line == 0 {
		return []string{at.Path}
	}
	return []string{"--line", line(at), "--column", column(at), at.Path}
}

func line(at Place) string   { return strconv.Itoa(max(at.Line, 1)) }
func column(at Place) string { return strconv.Itoa(max(at.Column, 1)) }
