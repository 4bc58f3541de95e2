package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const main0 = `Weft works with agents.
It keeps all of it.

  weft                    open the window
  weft serve              the same for a browser
  weft import FILE …      import conversations
  weft import --from all  import all
  weft record -- COMMAND …  record it

  weft --version

  -data string
    	folder of the database (default "~/it's $HOME")
`

var helps = map[string]string{
	"": main0,
	"serve": "weft serve runs it: [now]. `date` isn't run.\n\n  -addr string\n    \taddress: a port (default \"127.0.0.1:0\")\n  -mode ask\n    \task, or not\n" +
		"\nUsage: weft serve [--mode ask|read-only|auto] [--speed N|max]\n",
	"import": ".starts with a dot \\ and a backslash\n\n  -from string\n    \ta program: claude, codex or all\n  -deleted\n    \talso $(touch /tmp/weft-was-here)\n",
	"record": "Usage: weft record [--out FILE] -- COMMAND\n\nRecords.\n\n  --json    as JSON: 'quoted'\n",
}

func read(t *testing.T) cli {
	t.Helper()
	c, err := readCLI(func(args ...string) (string, error) {
		text, ok := helps[strings.Join(args, " ")]
		if !ok {
			return "", errors.New("no such command")
		}
		return text, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestHelpIsRead(t *testing.T) {
	t.Parallel()
	c := read(t)
	if got := c.names(); got != "serve import record" {
		t.Errorf("commands %q", got)
	}
	for _, test := range []struct {
		at      int
		options string
		operand operand
	}{{0, "--addr --mode --speed --help", nothing}, {1, "--deleted --from --help", files}, {2, "--json --out --help", program}} {
		s := c.commands[test.at]
		if got := names(s.options); got != test.options || s.operand != test.operand {
			t.Errorf("%s has the options %s and the operand %d", s.name, got, s.operand)
		}
	}
	if got := strings.Join(c.commands[0].options[1].choices, " "); got != "ask read-only auto" {
		t.Errorf("--mode takes %q", got)
	}
	if got := strings.Join(c.commands[1].options[1].choices, " "); got != "claude codex all" {
		t.Errorf("--from takes %q", got)
	}
	if o := c.options[0]; o.name != "data" || !o.file() {
		t.Errorf("%+v isn't a path", o)
	}
}

func TestHelpInAnotherFormIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "Weft", main0[:120], strings.ReplaceAll(main0, "  weft serve ", "  weft other ")} {
		if c, err := readCLI(func(args ...string) (string, error) {
			if len(args) == 0 {
				return text, nil
			}
			return helps[args[0]], nil
		}); err == nil {
			t.Errorf("%q was read as %+v", text, c)
		}
	}
}

// Shells parse what is written, whatever a help says. Shells that aren't installed are left out.
func TestCompletionsAreParsedByTheirShells(t *testing.T) {
	t.Parallel()
	c := read(t)
	for shell, text := range map[string]string{"bash": c.bash(), "zsh": c.zsh(), "fish": c.fish()} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s isn't installed.", shell)
			continue
		}
		cmd := exec.CommandContext(t.Context(), shell, "-n")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", shell, err, out, text)
		}
	}
}

func TestBashCompletes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash isn't installed")
	}
	c := read(t)
	for line, want := range map[string]string{
		"weft s":                    "serve",
		"weft ":                     "serve import record",
		"weft serve --m":            "--mode",
		"weft serve --mode ":        "ask read-only auto",
		"weft serve -mode r":        "read-only",
		"weft import --from c":      "claude codex",
		"weft import --d":           "--deleted",
		"weft --d":                  "--data",
		"weft unknown --d":          "",
		"weft serve --addr ":        "",
		"weft import manual_test.g": "manual_test.go",
	} {
		script := c.bash() + `
compopt() { :; }
COMP_WORDS=(` + line + `)
[[ '` + line + `' == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_weft
echo "${COMPREPLY[*]}"`
		out, err := exec.CommandContext(t.Context(), "bash", "-c", script).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q is completed to %q, %v; want %q", line, got, err, want)
		}
	}
}

func TestManPageIsTakenLiterally(t *testing.T) {
	t.Parallel()
	page := read(t).man("1.2.3", time.Unix(0, 0).UTC())
	for _, want := range []string{`.TH WEFT 1 "1970-01-01" "Weft 1.2.3"`, `\&.starts with a dot \e and`, `.B \-\-from \fIstring\fR`, ".SS weft record"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
}
