package permission

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/backend/base/raced"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission/files"
)

func TestReadingOfCalls(t *testing.T) {
	dir := project(t)
	run := func(line string, runs ...string) []Run { return []Run{{Line: line, Runs: runs}} }
	list := func(shell, line string, args []string, runs ...string) []Run {
		return []Run{{Line: line, Shell: shell, Args: args, Runs: runs}}
	}
	words := strings.Fields
	for _, c := range []struct {
		name  string
		call  Call
		want  Reading // without Kind, which is execute if there are commands
		about string  // "": not looked at
	}{
		{
			name: "a line", call: Call{Kind: "execute", Input: []byte(`{"command":"git status","description":"Show it","timeout":5}`)},
			want: Reading{Commands: run("git status", "git"), Other: []Argument{{"description", "Show it"}, {"timeout", "5"}}}, about: "git status",
		},
		{
			name: "a foreign shell", call: Call{Kind: "execute", Input: []byte(`{"command":["/evil/bash","-lc","git status"]}`)},
			want:  Reading{Commands: list("/evil/bash -lc", "git status", []string{"/evil/bash", "-lc", "git status"}, "/evil/bash", "git"), Unclear: "dynamic"},
			about: "/evil/bash -lc 'git status'",
		},
		{
			name: "the system's shell", call: Call{Kind: "execute", Input: []byte(`{"command":["bash","--norc","-lc","git status && ls"]}`)},
			want:  Reading{Commands: list("bash --norc -lc", "git status && ls", []string{"bash", "--norc", "-lc", "git status && ls"}, "bash", "git", "ls")},
			about: "bash --norc -lc 'git status && ls'",
		},
		{
			name: "a shell with more than a script", call: Call{Kind: "execute", Input: []byte(`{"command":["bash","-c","git status","x"]}`)},
			want: Reading{Commands: list("", "bash -c 'git status' x", []string{"bash", "-c", "git status", "x"}, "bash", "git"), Unclear: "dynamic"},
		},
		{
			name: "sudo", call: Call{Kind: "execute", Input: []byte(`{"command":["sudo","-u","root","rm","-rf","x y"]}`)},
			want: Reading{Commands: list("", "sudo -u root rm -rf 'x y'", append(words("sudo -u root rm -rf"), "x y"), "sudo", "rm")},
		},
		{
			name: "python", call: Call{Kind: "execute", Input: []byte(`{"command":["python3","-c","import os; os.system('x')"]}`)},
			want: Reading{Commands: list("", `python3 -c 'import os; os.system('\''x'\'')'`, []string{"python3", "-c", "import os; os.system('x')"}, "python3"), Unclear: "form"},
		},
		{
			name: "a file of the folder", call: Call{Kind: "execute", Input: []byte(`{"command":["./x","a"]}`)},
			want: Reading{Commands: list("", "./x a", words("./x a"), "./x")},
		},
		{
			name: "ssh", call: Call{Kind: "execute", Input: []byte(`{"command":"ssh","args":["root@prod","reboot"]}`)},
			want: Reading{Commands: list("", "ssh root@prod reboot", words("ssh root@prod reboot"), "ssh")},
		},
		{
			name: "programs behind others", call: Call{Kind: "execute", Input: []byte(`{"command":"FOO=1 env -u A B=2 timeout -k 3 5 nice -n 3 bash -lc 'make $(whoami) | xargs -n 1 rm'; find . -exec chmod 0 {} +; \"$x\" y"}`)},
			want: Reading{Commands: run(`FOO=1 env -u A B=2 timeout -k 3 5 nice -n 3 bash -lc 'make $(whoami) | xargs -n 1 rm'; find . -exec chmod 0 {} +; "$x" y`,
				"env", "timeout", "nice", "bash", "make", "whoami", "xargs", "rm", "find", "chmod", `"$x"`), Unclear: "setting"},
		},
		{
			name: "an assignment as program", call: Call{Kind: "execute", Input: []byte(`{"command":["A=b","c"]}`)},
			want: Reading{Commands: list("", "'A=b' c", words("A=b c"), "A=b"), Unclear: "dynamic"},
		},
		{
			name: "environment and input", call: Call{Kind: "execute", Input: []byte(`{"cmd":"make","env":{"PATH":"/tmp","N":1},"stdin":"yes"}`)},
			want: Reading{Commands: []Run{{Line: "make", Stdin: "yes", Runs: []string{"make"}}}, Env: []Argument{{"PATH", "/tmp"}, {"N", "1"}}, Unclear: "setting"},
		},
		{
			name: "a folder", call: Call{Kind: "execute", Input: []byte(`{"script":"make","workdir":"src"}`)},
			want: Reading{Commands: run("make", "make"), Folder: filepath.Join(dir, "src")},
		},
		{
			name: "a folder behind a link", call: Call{Kind: "execute", Input: []byte(`{"script":"make","workdir":"alias/deep"}`)},
			want: Reading{Commands: run("make", "make"), Folder: filepath.Join(dir, "src/deep"), Other: []Argument{{"workdir", "alias/deep"}}},
		},
		{
			name: "a folder outside", call: Call{Kind: "execute", Input: []byte(`{"command":"make","cwd":"/"}`)},
			want: Reading{Commands: run("make", "make"), Folder: "/", Outside: true, Unclear: "outside"},
		},
		{
			name: "the own folder", call: Call{Kind: "execute", Input: raw(t, map[string]string{"command": "make", "cwd": dir})},
			want: Reading{Commands: run("make", "make")},
		},
		{
			name: "raised rights", call: Call{Kind: "execute", Input: []byte(`{"command":"make","dangerouslyDisableSandbox":true,"with_escalated_permissions":true,"sandbox_permissions":"require_escalated","run_in_background":true,"justification":"so"}`)},
			want: Reading{
				Commands: run("make", "make"), Raises: []Argument{{"dangerouslyDisableSandbox", "true"}, {"with_escalated_permissions", "true"}, {"sandbox_permissions", "require_escalated"}},
				Other: []Argument{{"run_in_background", "true"}, {"justification", "so"}}, Unclear: "raises",
			},
		},
		{
			name: "rights that are not raised", call: Call{Kind: "execute", Input: []byte(`{"command":"make","dangerouslyDisableSandbox":false,"sandbox":true}`)},
			want: Reading{Commands: run("make", "make"), Other: []Argument{{"dangerouslyDisableSandbox", "false"}, {"sandbox", "true"}}},
		},
		{
			name: "commands in a list", call: Call{Kind: "execute", Input: []byte(`{"cwd":"src","commands":[{"command":"make"},"ls",{"cmd":["rm","x"]}]}`)},
			want: Reading{Commands: []Run{{Line: "make", Runs: words("make")}, {Line: "ls", Runs: words("ls")}, {Line: "rm x", Args: words("rm x"), Runs: words("rm")}}, Folder: filepath.Join(dir, "src")},
		},
		{
			name: "a command far inside", call: Call{Kind: "other", Input: []byte(`{"input":{"x":[{"y":{"command":"rm x","note":"n"}}]}}`)},
			want: Reading{Commands: run("rm x", "rm"), Other: []Argument{{"input.x[0].y.note", "n"}}, Unclear: "form"},
		},
		{
			name: "an edit with its diff", call: Call{
				Kind: "edit", Paths: []string{"src/a.go"}, Diffs: []string{"src/a.go"}, Texts: []string{"old text", "new text"},
				Input: []byte(`{"file_path":"src/a.go","old_string":"old text","new_string":"new text","replace_all":false}`),
			},
			want: Reading{Files: []files.Target{{Path: "src/a.go", Write: true}}, Other: []Argument{{"replace_all", "false"}}, Kind: "edit", Diff: true}, about: "src/a.go",
		},
		{
			name: "an edit with another diff", call: Call{
				Kind: "edit", Diffs: []string{"src/a.go"}, Texts: []string{"old text", "new text"},
				Input: []byte(`{"path":"src/a.go","edits":[{"old_string":"old","new_string":"evil"}]}`),
			},
			want: Reading{Files: []files.Target{{Path: "src/a.go", Write: true}}, Other: []Argument{{"edits[0].new_string", "evil"}}, Kind: "edit", Diff: true},
		},
		{
			name: "a patch without a diff", call: Call{Kind: "edit", Input: []byte(`{"input":"*** Begin Patch\n*** Update File: .git/hooks/pre-commit\n+x\n*** End Patch"}`)},
			want: Reading{
				Files: []files.Target{{Path: ".git/hooks/pre-commit", Write: true, Git: true}}, Kind: "edit",
				Other: []Argument{{"input", "*** Begin Patch\n*** Update File: .git/hooks/pre-commit\n+x\n*** End Patch"}},
			},
		},
		{
			name: "a patch with its diff", call: Call{
				Kind: "edit", Diffs: []string{"src/a.go"}, Texts: []string{"a\nb\n", "a\nc\n"},
				Input: []byte(`{"diff":"Index: src/a.go\n====\n--- src/a.go\n+++ src/a.go\n@@ -1 +1 @@\n a\n-b\n+c\n\\ No newline at end of file\n"}`),
			},
			want: Reading{Files: []files.Target{{Path: "src/a.go", Write: true}}, Kind: "edit", Diff: true},
		},
		{
			name: "links", call: Call{Kind: "read", Paths: []string{"alias/a.go"}, Input: []byte(`{"uri":"file:///etc/host%6eame","url":"https://x.test/"}`)},
			want: Reading{
				Files: []files.Target{{Path: "alias/a.go", Real: filepath.Join(dir, "src/a.go")}, {Path: "file:///etc/host%6eame", Real: "", Outside: true}},
				Other: []Argument{{"url", "https://x.test/"}}, Kind: "read", Unclear: "outside",
			},
		},
		{
			name: "an editor's verb", call: Call{Kind: "edit", Input: []byte(`{"command":"create","path":"x.md","file_text":"t"}`)},
			want: Reading{Files: []files.Target{{Path: "x.md", Write: true}}, Other: []Argument{{"command", "create"}, {"file_text", "t"}}, Kind: "edit"},
		},
		{
			name: "what nobody knows", call: Call{Kind: "other", Input: []byte(`{"a":{"b":[1,2.50,"\u0072m",{"c":null}]},"d":"e","big":12345678901234567890}`)},
			want: Reading{Other: []Argument{{"a", `{"b":[1,2.50,"rm",{"c":null}]}`}, {"d", "e"}, {"big", "12345678901234567890"}}, Kind: "other"},
		},
		{name: "no object", call: Call{Kind: "other", Input: []byte(`["git status"]`)}, want: Reading{Other: []Argument{{"", `["git status"]`}}, Kind: "other", Unclear: "arguments"}},
		{
			name: "a redirection", call: Call{Kind: "execute", Input: []byte(`{"command":"echo x > alias/y","cwd":"."}`)},
			want: Reading{Commands: run("echo x > alias/y", "echo"), Files: []files.Target{{Path: "alias/y", Real: filepath.Join(dir, "src/y"), Write: true}}},
		},
		{
			name: "another shell for a line", call: Call{Kind: "execute", Input: []byte(`{"command":"make","shell":"/evil/sh"}`)},
			want: Reading{Commands: []Run{{Line: "make", Shell: "/evil/sh", Runs: []string{"/evil/sh", "make"}}}, Unclear: "form"}, about: "/evil/sh make",
		},
		{
			name: "the gateway's", call: Call{Kind: "execute", Tool: "greet", Input: []byte(`{"command":["greet"]}`), Sent: []byte(`{"name":"x","deep":{"y":1}}`)},
			want: Reading{Commands: list("", "greet", words("greet"), "greet"), Other: []Argument{{"name", "x"}, {"deep", `{"y":1}`}}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			sub := Describe(&c.call, Place{Folder: dir})
			got := *sub.Reading()
			if c.want.Kind == "" {
				c.want.Kind = "execute"
			}
			for i := range got.Files { // where it leads depends on the machine
				if filepath.IsAbs(strings.TrimPrefix(got.Files[i].Path, "file://")) {
					got.Files[i].Real = ""
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("\n got %s\nwant %s", raw(t, got), raw(t, c.want))
			}
			if c.about != "" && sub.About() != c.about {
				t.Errorf("about %q, want %q", sub.About(), c.about)
			}
		})
	}
}

// randomInput generates arguments of a call, from names that agents use and values of any form.
type randomInput struct {
	r *rand.Rand
	n int
}

func (g *randomInput) name() string {
	names := []string{
		"command", "cmd", "script", "commands", "args", "cwd", "workdir", "dir", "path", "file_path", "files", "uri", "env", "variables", "stdin", "input", "shell",
		"content", "new_string", "old_string", "patch", "edits", "description", "timeout", "mode", "sandbox", "dangerouslyDisableSandbox", "with_escalated_permissions", "force", "root",
		"parsed_cmd", "x", "options", "tool", "arguments", "Command", "FILE-PATH", "ünknown", "",
	}
	return names[g.r.IntN(len(names))]
}

func (g *randomInput) value(depth int) any {
	g.n++
	if depth < 5 {
		switch g.r.IntN(7) {
		case 0:
			return g.object(depth + 1)
		case 1:
			list := make([]any, g.r.IntN(4))
			for i := range list {
				list[i] = g.value(depth + 1)
			}
			return list
		case 2:
			return []string{g.text(), g.text()}
		}
	}
	switch g.r.IntN(8) {
	case 0:
		return g.r.IntN(2) == 0
	case 1:
		return 1000000 + g.n
	case 2:
		return nil
	}
	return g.text()
}

func (g *randomInput) text() string {
	g.n++
	n := strconv.Itoa(g.n)
	texts := []string{"git status ", "rm -rf ", "src/", "/etc/", "../", "it's ", "A=", "a\nb ", "$(x) ", "bash -c ", "*** Begin Patch\n*** Add File: ", "--- a/", "\u202e", "é<&>\"\\", "file:///tmp/", "https://x/", "-lc", "true", "~/", strings.Repeat("long ", 20)}
	return texts[g.r.IntN(len(texts))] + n
}

// object writes an object by hand, because a name may occur twice.
func (g *randomInput) object(depth int) jsontext.Value {
	b := []byte{'{'}
	for i := range g.r.IntN(5) {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, g.name())
		v, _ := json.Marshal(g.value(depth), json.Deterministic(true))
		b = append(append(b, ':'), v...)
	}
	return append(b, '}')
}

// leaves returns every scalar in a value except nulls and empty strings, and every name of a member.
func leaves(t *testing.T, v jsontext.Value) (list []string) {
	t.Helper()
	dec := jsontext.NewDecoder(strings.NewReader(string(v)), lenient)
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return list
		}
		switch k := token.Kind(); k {
		case '{', '}', '[', ']', 'n':
		default:
			if s := token.String(); s != "" {
				list = append(list, s)
			}
		}
	}
}

// The reading of a call contains every scalar of its arguments, and is the same each time.
func TestReadingContainsEveryArgument(t *testing.T) {
	dir := project(t)
	for seed := range uint64(raced.Of(4000)) {
		g := &randomInput{r: rand.New(rand.NewPCG(seed, 13))}
		input := g.object(0)
		kind := []string{"execute", "edit", "read", "other"}[g.r.IntN(4)]
		sub := Describe(&Call{Kind: kind, Input: input}, Place{Folder: dir})
		reading := raw(t, sub.Reading())
		if again := raw(t, Describe(&Call{Kind: kind, Input: input}, Place{Folder: dir}).Reading()); string(again) != string(reading) {
			t.Fatalf("seed %d: %s is read as\n%s and as\n%s", seed, input, reading, again)
		}
		// Its values, and the values in the JSON in it.
		said := leaves(t, reading)
		for _, s := range slices.Clone(said) {
			if strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
				said = append(said, leaves(t, jsontext.Value(s))...)
			}
		}
		all := strings.Join(said, "\x00")
		all += strings.ReplaceAll(all, `'\''`, `'`)
		for _, leaf := range values(t, input) {
			if !strings.Contains(all, leaf) && !strings.Contains(all, strings.TrimPrefix(leaf, "../")) {
				t.Fatalf("seed %d: %q of %s is hidden in\n%s", seed, leaf, input, reading)
			}
		}
	}
}

// values returns the leaves of a value without the names of members.
func values(t *testing.T, v jsontext.Value) (list []string) {
	t.Helper()
	dec := jsontext.NewDecoder(strings.NewReader(string(v)), lenient)
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return list
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		switch k := token.Kind(); {
		case k == '{', k == '}', k == '[', k == ']', k == 'n', kind == '{' && n%2 == 1, token.String() == "":
		default:
			list = append(list, token.String())
		}
	}
}

// No call produces a large reading, and a truncated one says so.
func TestReadingIsBounded(t *testing.T) {
	dir := project(t)
	long := strings.Repeat("x ", 300<<10)
	many := "[" + strings.TrimSuffix(strings.Repeat(`"a\u0001\u0001",`, 60<<10), ",") + "]"
	deep := strings.Repeat(`{"a":[`, 3000) + strings.Repeat(`]}`, 3000)
	for _, input := range []string{
		`{"command":"` + long + `"}`, `{"x":"` + long + `","command":"rm x"}`, `{"command":` + many + `}`, `{"commands":` + many + `}`, `{"files":` + many + `}`,
		`{"x":` + many + `}`, `{"x":` + deep + `,"y":"` + long + `"}`, `{"env":` + many + `,"command":"x","z":"` + long + `"}`,
		`{"edits":[` + strings.TrimSuffix(strings.Repeat(`{"path":"a","x":1},`, 20<<10), ",") + `]}`,
	} {
		sub := Describe(&Call{Kind: "execute", Input: jsontext.Value(input)}, Place{Folder: dir})
		if n := len(raw(t, sub.Reading())); n > maxReading+maxReading/4 || sub.Reading().Unclear != "long" {
			t.Errorf("%.40s…: %d bytes, unclear %q", input, n, sub.Reading().Unclear)
		}
	}
	sub := Describe(&Call{Kind: "execute", Input: jsontext.Value(`{"x":"` + long + `","command":"rm x","sudo":true}`)}, Place{Folder: dir})
	if r := sub.Reading(); len(r.Commands) != 1 || len(r.Raises) != 1 {
		t.Errorf("what acts is cut: %.300s", raw(t, r))
	}
}

// A request without commands, files or changes is identified only by its title, which is shown in full.
func TestReadingHasTheTitleOnlyIfNothingElseNamesTheCall(t *testing.T) {
	t.Parallel()
	dir := project(t)
	long := "npm test\n" + strings.Repeat("# more\n", 2000) + "rm -rf ~"
	for _, c := range []struct {
		call Call
		want string
	}{
		{Call{Kind: "execute", Title: long}, long},
		{Call{Kind: "other", Title: "Write to “Plans”", Titled: true, Called: "mcp__weft__send"}, "mcp__weft__send"}, // the agent's words
		{Call{Kind: "other", Title: "Write to “Plans”", Titled: true}, ""},
		{Call{Kind: "other", Title: "tracker__create", Input: jsontext.Value(`{"name":"x"}`)}, "tracker__create"},
		{Call{Kind: "execute", Title: "List", Input: jsontext.Value(`{"command":"ls"}`)}, ""},
		{Call{Kind: "edit", Title: "Edit", Paths: []string{"a.txt"}}, ""},
		{Call{Kind: "edit", Title: "Edit", Diffs: []string{"a.txt"}}, ""},
	} {
		if got := Describe(&c.call, Place{Folder: dir}).Reading().Title; got != c.want {
			t.Errorf("%.20s: %.40q", c.call.Title, got)
		}
	}
}
