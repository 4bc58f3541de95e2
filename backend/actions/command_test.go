package actions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// A line and a list of words are one command only if a shell makes just these words of the line.
func TestSameCommandIsReadByAShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	rnd := rand.New(rand.NewPCG(13, 6))
	parts := []string{
		"a", "rm", "-rf", "x y", "=", "A=b", "$x", "`id`", "~", "*", "?", "[a]", "{a,b}", "\\", "'", `"`, ";", "&", "|", ">", "<", "#", "!", "\n", "\t", " ", "  ", "é", "\u00a0", "\u2800", "%", "@", ":", ",", ".", "/", "^", "+", "(", ")",
	}
	var lines []string
	script := "set -f\n"
	for len(lines) < 3000 {
		line := ""
		for range 1 + rnd.IntN(5) {
			line += parts[rnd.IntN(len(parts))]
		}
		key := CommandKey(line, nil)
		if strings.HasPrefix(key, shellLine) {
			continue
		}
		lines = append(lines, key)
		script += "printf '%s\\0' " + strings.Trim(line, " \t\n") + "; printf '\\n'\n"
	}
	cmd := exec.CommandContext(context.Background(), bash, "--norc", "--noprofile")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(string(out), "\x00\n")
	for i, key := range lines {
		if got[i] != key {
			t.Fatalf("%q is taken for %q", got[i], key)
		}
	}
}

// Arguments of a tool are taken for a command only as far as nothing else is in them that changes what it does.
func TestCommandOfArguments(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"npm test"}`: "npm\x00test", `{"command":["npm","test"]}`: "npm\x00test", `{"cmd":"npm","args":["test"]}`: "npm\x00test",
		`{"command":["bash","-lc","npm test"]}`: "npm\x00test", `{"command":["/bin/sh","-c","a; b"]}`: "\x00a; b", `{"command":"a; b","description":"c"}`: "\x00a; b",
		`{"command":["/evil/bash","-lc","npm test"]}`: "/evil/bash\x00-lc\x00npm test", `{"command":["bash","-c","npm test","x"]}`: "bash\x00-c\x00npm test\x00x",
		`{"command":["npm test"]}`: "", `{"command":"a","env":{"LD_PRELOAD":"x"}}`: "", `{"command":"a","script":"b"}`: "", `{"command":{"a":1}}`: "", `{"command":"a","args":{}}`: "",
		`{"path":"x"}`: "", `[]`: "", `{}`: "", `{"command":"a","env":[]}`: "a", `{"command":["sh","a; b"]}`: "sh\x00a; b", `{"command":"","args":["a; b"]}`: "", `{"command":["a","b\u0000c"]}`: "",
	} {
		if got, _ := commandOf(jsontext.Value(input)); got != want {
			t.Errorf("%s is %q, want %q", input, got, want)
		}
	}
}

// Two commands have one key only if they are the same words, or the same line for a shell.
func TestDifferentCommandsHaveDifferentKeys(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(*seedFlag, 8))
	parts := []string{"a", "b", "sh", "bash", "/bin/sh", "-c", "-lc", "a b", "a; b", "a;b", "", " ", "$x", "-x", "a\x00b", "\x00"}
	// means tells by an independent reading what a command runs.
	var means func(words []string) string
	means = func(words []string) string {
		if len(words) == 1 { // a line for a shell
			line := strings.Trim(words[0], " \t\n")
			if line == "" || strings.ContainsAny(line, ";$\x00") {
				return "line " + line
			}
			words = strings.Fields(line)
		} else if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") && (words[0] == "sh" || words[0] == "bash" || words[0] == "/bin/sh") {
			return means(words[2:])
		}
		return fmt.Sprintf("words %q", words)
	}
	by, same := map[string]string{}, 0
	for range 50_000 {
		var words []string
		for range 1 + rnd.IntN(4) {
			words = append(words, parts[rnd.IntN(len(parts))])
		}
		key, is := CommandKey(words[0], words[1:]), means(words)
		if key == "" {
			if !slices.Contains(words, "\x00") && !slices.Contains(words, "a\x00b") && words[0] != "" {
				t.Fatalf("%q has no key", words)
			}
			continue
		}
		if other, known := by[key]; !known {
			by[key] = is
		} else if other != is {
			t.Fatalf("%q has the key of %q", words, other)
		} else {
			same++
		}
	}
	if same < 1000 {
		t.Errorf("only %d had a key that was known", same)
	}
}
