package editor

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/backend/base/fault"
)

// machine returns a Machine with programs in /bin and an environment.
func machine(programs []string, env map[string]string) Machine {
	return Machine{
		OS: "linux", Home: "/home/robin", Getenv: func(name string) string { return env[name] },
		Look: func(name string) string {
			if filepath.IsAbs(name) {
				if slices.Contains(programs, name) {
					return name
				}
				return ""
			}
			if slices.Contains(programs, name) {
				return "/bin/" + name
			}
			return ""
		},
	}
}

func TestCommandOfAPlace(t *testing.T) {
	t.Parallel()
	at := Place{Path: "/s p/ä.go", Line: 3, Column: 7}
	for _, c := range []struct {
		name     string
		programs []string
		env      map[string]string
		choice   Choice
		at       Place
		want     string // program and arguments, separated by |
	}{
		{"the first of all is used", []string{"subl", "zed", "code"}, nil, Choice{}, at, "/bin/code|-g|/s p/ä.go:3:7"},
		{"the order of auto", []string{"subl", "goland", "zed"}, nil, Choice{Use: Auto}, at, "/bin/zed|/s p/ä.go:3:7"},
		{"a variant of VS Code", []string{"codium"}, nil, Choice{}, at, "/bin/codium|-g|/s p/ä.go:3:7"},
		{"Cursor", []string{"code", "cursor"}, nil, Choice{Use: "cursor"}, at, "/bin/cursor|-g|/s p/ä.go:3:7"},
		{"JetBrains", []string{"idea"}, nil, Choice{Use: "idea"}, at, "/bin/idea|--line|3|--column|7|/s p/ä.go"},
		{"JetBrains Toolbox", []string{"/home/robin/.local/share/JetBrains/Toolbox/scripts/rustrover"}, nil, Choice{}, at, "/home/robin/.local/share/JetBrains/Toolbox/scripts/rustrover|--line|3|--column|7|/s p/ä.go"},
		{"Sublime", []string{"subl"}, nil, Choice{}, at, "/bin/subl|/s p/ä.go:3:7"},
		{"without a line", []string{"code"}, nil, Choice{}, Place{Path: "/a.go"}, "/bin/code|-g|/a.go"},
		{"without a line, named like one", []string{"code"}, nil, Choice{}, Place{Path: "/a:12"}, "/bin/code|-g|/a:12:1:1"},
		{"without a column", []string{"code"}, nil, Choice{}, Place{Path: "/a.go", Line: 4}, "/bin/code|-g|/a.go:4:1"},
		{"JetBrains without a line", []string{"idea"}, nil, Choice{}, Place{Path: "/a.go"}, "/bin/idea|/a.go"},
		{"custom", []string{"ed"}, nil, Choice{Custom, `ed --at "{line} {column}" -- {path}`}, at, "/bin/ed|--at|3 7|--|/s p/ä.go"},
		{"custom, a path with a placeholder", []string{"ed"}, nil, Choice{Custom, `ed {path}`}, Place{Path: "/{line} \"$(x)\".go"}, `/bin/ed|/{line} "$(x)".go`},
		{"custom, a path with a dash", []string{"ed"}, nil, Choice{Custom, `ed {path}`}, Place{Path: "/-x"}, "/bin/ed|/-x"},
		{"custom, without a line", []string{"ed"}, nil, Choice{Custom, `ed +{line},{column} {path}`}, Place{Path: "/a"}, "/bin/ed|+1,1|/a"},
		{"auto takes a graphical editor of the environment", []string{"kate"}, map[string]string{"EDITOR": "kate"}, Choice{}, at, "/bin/kate|-l|3|-c|7|/s p/ä.go"},
		{"VISUAL before EDITOR", []string{"gedit", "kate"}, map[string]string{"VISUAL": "gedit", "EDITOR": "kate"}, Choice{}, at, "/bin/gedit|+3:7|/s p/ä.go"},
		{"an editor that would wait", []string{"cursor"}, map[string]string{"VISUAL": "cursor --wait"}, Choice{Use: Env}, at, "/bin/cursor|-g|/s p/ä.go:3:7"},
		{"an editor of the terminal", []string{"nvim", "xterm"}, map[string]string{"EDITOR": "nvim -p"}, Choice{Use: Env}, at, "/bin/xterm|-e|/bin/nvim|-p|+call cursor(3,7)|/s p/ä.go"},
		{"a terminal without a separator", []string{"nano", "kitty"}, map[string]string{"EDITOR": "nano"}, Choice{Use: Env}, at, "/bin/kitty|/bin/nano|+3,7|/s p/ä.go"},
		{"an unknown editor", []string{"joe", "foot"}, map[string]string{"EDITOR": "joe"}, Choice{Use: Env}, at, "/bin/foot|/bin/joe|+3|/s p/ä.go"},
		{"Emacs in a terminal", []string{"emacs", "foot"}, map[string]string{"EDITOR": "emacs -nw"}, Choice{Use: Env}, at, "/bin/foot|/bin/emacs|-nw|+3:7|/s p/ä.go"},
	} {
		cmd, err := machine(c.programs, c.env).Command(c.choice, c.at)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := strings.Join(append([]string{cmd.Program}, cmd.Args...), "|"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestCommandThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		programs []string
		env      map[string]string
		choice   Choice
		at       Place
		code     string
		says     string
	}{
		{"nothing is there", nil, nil, Choice{}, Place{Path: "/a"}, "editor_missing", "Couldn't open the editor: no editor was found. Choose an editor in Settings."},
		{"the chosen one is not there", []string{"zed"}, nil, Choice{Use: "vscode"}, Place{Path: "/a"}, "editor_missing", "Couldn't open the editor: code wasn't found. Choose an editor in Settings."},
		{"auto takes no editor of the terminal", []string{"nvim", "xterm"}, map[string]string{"EDITOR": "nvim"}, Choice{}, Place{Path: "/a"}, "editor_missing", "no editor was found"},
		{"no terminal", []string{"nvim"}, map[string]string{"EDITOR": "nvim"}, Choice{Use: Env}, Place{Path: "/a"}, "editor_missing", "no terminal was found for nvim"},
		{"no variable", nil, nil, Choice{Use: Env}, Place{Path: "/a"}, "editor_missing", "neither VISUAL nor EDITOR is set"},
		{"custom is not there", nil, nil, Choice{Custom, "ed {path}"}, Place{Path: "/a"}, "editor_missing", "ed wasn't found"},
		{"a path that could be an option", []string{"code"}, nil, Choice{}, Place{Path: "-a"}, fault.Invalid, "absolute"},
		{"a path with NUL", []string{"code"}, nil, Choice{}, Place{Path: "/a\x00"}, fault.Invalid, "absolute"},
		{"unknown", nil, nil, Choice{Use: "ed"}, Place{Path: "/a"}, fault.Invalid, `"ed"`},
	} {
		_, err := machine(c.programs, c.env).Command(c.choice, c.at)
		if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v (%s), want %s: %s", c.name, err, fault.CodeOf(err), c.code, c.says)
		}
	}
}

func TestBatchFileIsNotGivenWhatItsShellWouldRead(t *testing.T) {
	t.Parallel()
	m := Machine{OS: "windows", Getenv: func(string) string { return "" }, Look: func(name string) string { return "/bin/" + name + ".cmd" }}
	if _, err := m.Command(Choice{Use: "vscode"}, Place{Path: "/a&calc"}); fault.CodeOf(err) != "editor_failed" {
		t.Errorf("the error is %v", err)
	}
	if _, err := m.Command(Choice{Use: "vscode"}, Place{Path: "/a b.go"}); err != nil {
		t.Error(err)
	}
}

func TestDaemonWithTheNameOfAnEditorIsNone(t *testing.T) {
	t.Parallel()
	m := machine(nil, nil)
	m.Look = func(name string) string {
		return map[string]string{"zed": "/usr/sbin/zed", "subl": "/usr/bin/subl"}[name]
	}
	if id, _ := m.Automatic(); id != "sublime" {
		t.Errorf("it is %q", id)
	}
}

func TestAppsOfMacOSAreFound(t *testing.T) {
	t.Parallel()
	cli := "/home/robin/Applications/Zed.app/Contents/MacOS/cli"
	m := machine([]string{cli}, nil)
	m.OS = "darwin"
	if cmd, err := m.Command(Choice{}, Place{Path: "/a"}); err != nil || cmd.Program != cli {
		t.Errorf("%+v, %v", cmd, err)
	}
}

func TestCheckOfACustomCommand(t *testing.T) {
	t.Parallel()
	for command, wrong := range map[string]string{
		`ed {path}`:                      "",
		`ed --at={line}:{column} {path}`: "",
		`"my ed" '{path}'`:               "",
		`C:\ed\ed.exe {path}`:            "",
		``:                               "Enter the command",
		`  `:                             "Enter the command",
		`ed`:                             "must contain {path}",
		`{path}`:                         "begin with a program",
		`ed {file} {path}`:               "{file} is unknown",
		`ed "{path}`:                     "n't closed",
		"ed\x00 {path}":                  "an invalid character",
	} {
		if got := CheckCommand(command); (got == "") != (wrong == "") || !strings.Contains(got.String(), wrong) {
			t.Errorf("%q: %q, want %q", command, got, wrong)
		}
	}
	if words, _ := split(`C:\ed\ed.exe a\ b "c \"d\" e" '' f`); !slices.Equal(words, []string{`C:\ed\ed.exe`, "a b", `c "d" e`, "", "f"}) {
		t.Errorf("the words are %q", words)
	}
}
