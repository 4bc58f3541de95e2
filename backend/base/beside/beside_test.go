//go:build unix

package beside

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/base/simtest"
)

// The test binary is also Weft: its first argument says what is tested.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "hand-over":
			os.Exit(HandOver(os.Args[2:], os.Stderr))
		case "agent-program":
			path, args, err := Agent()
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Print(strings.Join(append([]string{path}, args...), " "))
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// appBeside returns a copy of this program in a folder of its own, where weft-agent is the given shell script; "" for none.
func appBeside(t *testing.T, script string) (app string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	app = filepath.Join(t.TempDir(), "weft")
	raw, err := os.ReadFile(exe)
	if err == nil {
		err = simtest.WriteProgram(app, raw, 0o700)
	}
	if err == nil && script != "" {
		err = simtest.WriteProgram(filepath.Join(filepath.Dir(app), agentName), []byte(script), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return app
}

func TestAgentCommandHandsOver(t *testing.T) {
	t.Parallel()
	script := "#!/bin/sh\nread line\necho \"$# $1 $2 $line $KEPT $$\"\necho said >&2\nexit 7\n"
	app := appBeside(t, script)
	link := filepath.Join(t.TempDir(), "weft")
	if err := os.Symlink(app, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{app, link} {
		cmd := exec.CommandContext(t.Context(), path, "hand-over", "--model", "a b")
		cmd.Env = append(os.Environ(), "KEPT=kept")
		cmd.Stdin = strings.NewReader("hello\n")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		said := strings.Fields(stdout.String())
		if cmd.ProcessState.ExitCode() != 7 || stderr.String() != "said\n" || len(said) != 7 || strings.Join(said[:6], " ") != "2 --model a b hello kept" {
			t.Errorf("%s: %v: %q, %q", path, err, &stdout, &stderr)
		}
	}
}

func TestAgentCommandSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"":                       "weft agent: couldn't find ",
		"#!/no/such/program\n":   "weft agent: couldn't start ",
		"neither\x00a program\n": "weft agent: couldn't start ",
	} {
		app := appBeside(t, script)
		out, err := exec.CommandContext(t.Context(), app, "hand-over").CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), want) || !strings.Contains(string(out), filepath.Join(filepath.Dir(app), agentName)) || !strings.HasSuffix(string(out), "nstall Weft again.\n") {
			t.Errorf("%q: %v: %s", script, err, out)
		}
	}
}

func TestBuiltInAgentIsTheProgramBesideWeft(t *testing.T) {
	t.Parallel()
	app := appBeside(t, "#!/bin/sh\n")
	for path, want := range map[string]string{
		app:              filepath.Join(filepath.Dir(app), agentName),
		appBeside(t, ""): " " + agentCommand,
	} {
		out, err := exec.CommandContext(t.Context(), path, "agent-program").Output()
		if err != nil || !strings.HasSuffix(string(out), want) {
			t.Errorf("%v: %s", err, out)
		}
	}
}
