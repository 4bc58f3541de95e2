package actions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission"
)

// A line and a list of words are the same command only if a shell splits the line into exactly these words.
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

// Arguments of a tool are taken for commands only as far as nothing else is in them that changes what these do.
func TestCommandsOfArguments(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"command":"npm test"}`: "npm\x00test", `{"command":["npm","test"]}`: "npm\x00test", `{"cmd":"npm","args":["test"]}`: "npm\x00test",
		`{"command":["bash","-lc","npm test"]}`: "npm\x00test", `{"command":["/bin/sh","-c","a; b"]}`: "\x00a; b", `{"command":"a; b","description":"c"}`: "\x00a; b",
		`{"command":["/evil/bash","-lc","npm test"]}`: "/evil/bash\x00-lc\x00npm test", `{"command":["bash","-c","npm test","x"]}`: "bash\x00-c\x00npm test\x00x",
		`{"command":"bash -lc 'npm test'"}`: "npm\x00test", `{"command":"/bin/bash -c \"cd '/space' && npm test\""}`: "npm\x00test",
		`{"command":"bash -c 'npm test' x"}`: "\x00bash -c 'npm test' x", `{"command":"bash -c \"echo $HOME\""}`: "\x00bash -c \"echo $HOME\"",
		`{"command":"bash -lc \"sh -c 'npm test'\""}`: "npm\x00test", `{"command":"cd /space && a; b"}`: "\x00a; b", `{"command":"cd \"/space\" && a || b"}`: "\x00a || b",
		`{"command":"cd /space; a"}`: "\x00cd /space; a", `{"command":"cd - && a"}`: "\x00cd - && a", `{"command":"cd in && a"}`: "\x00cd in && a", `{"command":"cd \"$x\" && a"}`: "\x00cd \"$x\" && a",
		`{"command":"cd /space/in && a"}`: "a in /space/in", `{"command":"cd ./in && a","cwd":"/space/out"}`: "a in /space/out/in", `{"command":"cd /space/in && a; b"}`: "\x00cd /space/in && a; b",
		`{"command":"cd '/it'\\''s' && a"}`: "a in /it's", `{"command":"cd ~ && a"}`: "\x00cd ~ && a",
		`{"command":["npm test"]}`: "", `{"command":"a","env":{"LD_PRELOAD":"x"}}`: "a with LD_PRELOAD=x", `{"command":"a","env":["B=1","A=2"]}`: "a with A=2,B=1",
		`{"command":"a","env":[{"name":"A","value":"2"},{"name":"TERM","value":"dumb"}]}`: "a with A=2", `{"command":"a","env":{"A":1}}`: "", `{"command":"a","env":["A"]}`: "",
		`{"command":"a","env":{"SHELL":"/bin/bash","NO_COLOR":"1"}}`: "a", `{"command":"a","env":{"SHELL":"/tmp/bash"}}`: "a with SHELL=/tmp/bash",
		`{"command":"a","script":"b"}`: "", `{"command":{"a":1}}`: "", `{"command":"a","args":{}}`: "",
		`{"commands":["a","b; c"]}`: "a|\x00b; c", `{"commands":["a"],"command":"a"}`: "a", `{"commands":["a"],"command":"b"}`: "", `{"commands":[{"command":"a"}]}`: "", `{"commands":[]}`: "",
		`{"path":"x"}`: "", `[]`: "", `{}`: "", `{"command":"a","env":[]}`: "a", `{"command":["sh","a; b"]}`: "sh\x00a; b", `{"command":"","args":["a; b"]}`: "", `{"command":["a","b\u0000c"]}`: "",
	} {
		var got []string
		for _, r := range runsOf(permission.Place{Folder: "/space"}, jsontext.Value(input)) {
			one := r.Command
			if r.Dir != "/space" {
				one += " in " + r.Dir
			}
			if r.Env != "" {
				one += " with " + strings.ReplaceAll(r.Env, "\x00", ",")
			}
			got = append(got, one)
		}
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("%s is %q, want %q", input, got, want)
		}
	}
}

// A command in the same folder is the same whatever agents put around it. A different command, folder or environment
// makes it different.
func TestWrappedCommandIsTheSame(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	g := grammar{rand.New(rand.NewPCG(*seedFlag, 21))}
	type started struct {
		line string
		args []string
	}
	quote := func(line string) string { return "'" + strings.ReplaceAll(line, "'", `'\''`) + "'" }
	var wrap func(line string, depth int) started
	wrap = func(line string, depth int) started {
		switch at := g.pick(folder, folder, link, folder+"/."); g.IntN(5) {
		case 0:
			line = "cd " + quote(at) + " && " + line
		case 1:
			line = "cd " + at + "  &&\n" + line
		case 2:
			line = `cd -- "` + at + `" && ` + line
		}
		if depth == 0 || g.IntN(3) == 0 {
			return started{line, nil}
		}
		shell := g.pick("bash", "sh", "/bin/bash", "/usr/bin/zsh")
		if g.IntN(2) == 0 {
			return wrap(shell+" "+g.pick("-c", "-lc")+" "+quote(line), depth-1)
		}
		return started{shell, []string{g.pick("-c", "-lc"), line}}
	}
	lines := []string{"npm test", "echo 'a b' && ls; rm x", "cat <<'E'\nit's\nE", "make -j2 | tail -1", "echo $HOME \"x\"", "true || false"}
	for n := range 5000 {
		line := g.pick(lines...)
		plain, _, _ := RunOf(permission.Place{Folder: folder}, "", line, nil, nil)
		w := wrap(line, 3)
		got, said, ok := RunOf(permission.Place{Folder: folder}, g.pick("", folder, link), w.line, w.args, map[string]string{"NO_COLOR": "1", "SHELL": "/bin/bash"})
		if !ok || got != plain || said != line {
			t.Fatalf("seed %d, case %d: %q is %+v, %q; want %+v", *seedFlag, n, w, got, said, plain)
		}
		other := wrap(g.pick(lines...)+g.pick(" x", " ; id"), 2)
		if got, _, _ := RunOf(permission.Place{Folder: folder}, "", other.line, other.args, nil); got == plain {
			t.Fatalf("seed %d, case %d: %q passes for %q", *seedFlag, n, other, line)
		}
		for _, env := range []map[string]string{{"LD_PRELOAD": "x"}, {"SHELL": "/tmp/bash"}, {"PATH": "/evil"}} {
			if got, _, _ := RunOf(permission.Place{Folder: folder}, "", w.line, w.args, env); got == plain {
				t.Fatalf("%q with %v passes for %q", w, env, line)
			}
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
