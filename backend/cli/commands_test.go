package cli

import (
	"strings"
	"testing"
)

func TestCommandLinesThatCannotBeReadAreExplained(t *testing.T) {
	for _, c := range []struct {
		args string
		says string
	}{
		{"exprot", "weft: unknown command \"exprot\" for \"weft\"\n\nDid you mean this?\n\texport\nSee weft --help.\n"},
		{"serve here", "weft: unexpected argument \"here\"\nSee weft serve --help.\n"},
		{"backup a b", "weft: unexpected argument \"b\"\nSee weft backup --help.\n"},
		{"mcp-stdio here", "weft: unexpected argument \"here\"\nSee weft mcp-stdio --help.\n"},
		{"serve --port 1", "weft: unknown flag: --port\nSee weft serve --help.\n"},
		{"import --data", "weft: flag needs an argument: --data\nSee weft import --help.\n"},
		{"fold", "weft: accepts 1 arg(s), received 0\nSee weft fold --help.\n"},
		{"replay a b", "weft: accepts 1 arg(s), received 2\nSee weft replay --help.\n"},
		{"record --out x", "weft: requires at least 1 arg(s), only received 0\nSee weft record --help.\n"},
		{"agent --nope", "weft: unknown flag: --nope\nSee weft agent --help.\n"},
	} {
		if code, out, complaint := told(t, func() int { return run(strings.Fields(c.args)) }); code != 2 || out != "" || complaint != c.says {
			t.Errorf("weft %s: %d, %q, %q", c.args, code, out, complaint)
		}
	}
}

// TestEachCommandHasAHelp also detects pflag 1.1, which shows each switch as --name[=true|false].
func TestEachCommandHasAHelp(t *testing.T) {
	for _, command := range commands(nil, nil, nil).Commands() {
		code, out, complaint := told(t, func() int { return run([]string{command.Name(), "--help"}) })
		if code != 0 || complaint != "" || command.Short == "" || !strings.Contains(out, "Usage:\n  weft "+command.Name()) || strings.Contains(out, "[=") {
			t.Errorf("%s: %d, %q, %q", command.Name(), code, out, complaint)
		}
	}
	for _, args := range []string{"version", "--version", "serve --version"} {
		if code, out, _ := told(t, func() int { return run(strings.Fields(args)) }); code != 0 || out != "weft "+Version+"\n" {
			t.Errorf("%s: %d, %q", args, code, out)
		}
	}
}

func TestShellsCompleteCommandsOptionsAndValues(t *testing.T) {
	for line, want := range map[string]string{
		"re|":                         "restore replay record",
		"serve --a|":                  "--addr --allow-remote",
		"serve --addr |":              "",
		"import --from |":             "claude codex opencode gemini qwen all",
		"export --format |":           "md html json jsonl",
		"agent --provider |":          "openai anthropic google ollama guide",
		"agent --mode |":              "ask read-only auto",
		"agent --provider openai lo|": "login logout",
	} {
		line = strings.TrimSuffix(line, "|")
		code, out, _ := told(t, func() int { return run(append([]string{"__completeNoDesc"}, strings.Split(line, " ")...)) })
		words := strings.Fields(out)
		if code != 0 || len(words) == 0 || strings.Join(words[:len(words)-1], " ") != want {
			t.Errorf("%q: %d, %q, want %q", line, code, out, want)
		}
	}
	if _, out, _ := told(t, func() int { return run([]string{"__complete", "update", "--d"}) }); !strings.HasPrefix(out, "--data\tFOLDER of the database") {
		t.Errorf("%q", out)
	}
}

func TestOptionsOfTheCommandMayHaveOneDash(t *testing.T) {
	for args, want := range map[string]string{
		"-data x":                   "--data x",
		"export -list -format md":   "export --list --format md",
		"serve -addr :0 -list":      "serve --addr :0 -list",
		"agent -provider openai":    "agent --provider openai",
		"record -out f -- cmd -out": "record --out f -- cmd -out",
		"record cmd -out f":         "record cmd -out f",
		"export -help":              "export --help",
		"serve -version":            "serve --version",
	} {
		if got := strings.Join(twoDashes(commands(nil, nil, nil), strings.Fields(args)), " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}
