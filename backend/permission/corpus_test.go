package permission

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// project returns a folder with src/a.go, a link inside of it, one to the outside, and a dangling one.
func project(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	for _, name := range []string{"src/a.go", "src/deep/b.go", "docs/x.md", ".git/hooks/pre-commit", ".env"} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outside := t.TempDir()
	for name, to := range map[string]string{"src/stays": "../docs", "src/leaves": outside, "src/nowhere": filepath.Join(outside, "none"), "alias": "src"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("links cannot be made here")
		}
	}
	return dir
}

func raw(t testing.TB, v any) jsontext.Value {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func rule(effect Effect, what ...string) Rule {
	r := Rule{ID: strings.Join(what, " "), Effect: effect, Scope: Everywhere, Enabled: true}
	for _, w := range what {
		name, value, _ := strings.Cut(w, ":")
		switch name {
		case "cmd":
			r.Command = value
		case "path":
			r.Path = value
		case "kind":
			r.Kind = value
		}
	}
	return r
}

// Every line is decided with rules that allow `git status`, `git log`, `ls`, `cd`, `env` and edits in src.
func TestCommandLines(t *testing.T) {
	dir := project(t)
	set := NewSet([]Rule{
		rule(Allow, "cmd:git status"), rule(Allow, "cmd:git log"), rule(Allow, "cmd:ls"), rule(Allow, "cmd:cd"), rule(Allow, "cmd:env"), rule(Allow, "cmd:bash"),
		rule(Allow, "cmd:find"), rule(Allow, "kind:edit", "path:src/**"), rule(Reject, "cmd:rm"), rule(Reject, "cmd:git push"),
	})
	for _, c := range []struct {
		line string
		want Verdict
	}{
		// Exactly the rule.
		{"git status", Allowed},
		{"git status --short", Allowed},
		{"  git   status  ", Allowed},
		{"git \"status\"", Allowed},
		{"'git' status", Allowed},
		{"g\"i\"t st'at'us", Allowed},
		{"git stat\\us", Allowed},
		{"git status '; rm -rf /'", Allowed},
		{"git status \"a > b\"", Allowed},
		{"git status && git log", Allowed},
		{"git status; ls", Allowed},
		{"git status | ls", Allowed},
		{"git status || git log -p", Allowed},
		{"git status\ngit log", Allowed},
		{"(git status; ls)", Allowed},
		{"{ git status; ls; }", Allowed},
		{"! git status", Allowed},
		{"time git status", Allowed},
		{"if git status; then ls; else git log; fi", Allowed},
		{"git status 2>&1", Allowed},
		{"git status >/dev/null 2>&1", Allowed},
		{"git status < .env", Allowed},
		{"git status > src/out.txt", Allowed},
		{"git status >> src/out.txt", Allowed},
		{"CI=1 git status", Allowed},
		{"env NO_COLOR=1 git status", Allowed},
		{"bash -c 'git status'", Allowed},
		{"bash -lc \"git status && ls\"", Allowed},
		{"/bin/bash -c 'git status'", Allowed},
		{"cd src && git status", Allowed},
		{"git status <<EOF\ntext\nEOF", Allowed},
		{"find . -name '*.go'", Allowed},
		{"git status &", Allowed},
		{"git status src/*.go", Allowed},
		{"git status; true; pwd; echo done", Allowed},
		{"git log | head -5 | grep x", Allowed},
		// A word that is known only at run time may be an option, and shells differ about some.
		{"git status # rm -rf /", Ask},
		{"git status $HOME ${PWD}", Ask},
		{"git status *.go", Ask},
		{"git status $(git log)", Ask},
		{"ls <(git status)", Ask},
		{"git log | head -5 src/leaves", Ask},
		{"git log --output=x", Ask},
		{"true; pwd", Ask},
		// The line contains something else.
		{"git status; make", Ask},
		{"git status && make", Ask},
		{"git status & make", Ask},
		{"git status || make", Ask},
		{"git status | sh", Ask},
		{"git status\nmake", Ask},
		{"git status\r\nmake", Ask},
		{"git status |& make", Ask},
		{"git status $(make)", Ask},
		{"git status `make`", Ask},
		{"git status \"$(make)\"", Ask},
		{"git status <(make)", Ask},
		{"git status >(make)", Ask},
		{"git status ${x:-$(make)}", Ask},
		{"git status ${x@P}", Ask},
		{"git status $((a[$(make)]))", Ask},
		{"git status <<EOF\n$(make)\nEOF", Ask},
		{"git status <<< $(make)", Ask},
		{"bash <<EOF\nmake\nEOF", Ask},
		{"if make; then git status; fi", Ask},
		{"while true; do git status; done", Ask},
		{"for f in $(make); do git status; done", Ask},
		{"f() { git status; }; f", Ask},
		{"git() { make; }; git status", Ask},
		{"alias git=make; git status", Ask},
		{"coproc git status", Ask},
		{"[[ -f x ]] && git status", Ask},
		{"eval git status", Ask},
		{"source git status", Ask},
		{". git status", Ask},
		{"exec git status", Ask},
		{"trap make EXIT; git status", Ask},
		{"bash -c 'make'", Ask},
		{"/tmp/bash -c 'git status'", Ask},
		{"./sh -c 'git status'", Ask},
		{"~/bin/zsh -lc 'git status'", Ask},
		{"bash -c \"$x\"", Ask},
		{"bash -c 'git status' x $(make)", Ask},
		{"bash -ic 'git status'", Ask},
		{"bash", Ask},
		{"sh -c 'sh -c \"sh -c \\\"sh -c make\\\"\"'", Ask},
		{"find . -exec make {} +", Ask},
		{"find . -delete", Ask},
		{"git status || ls; (make)", Ask},
		// A different command.
		{"", Ask},
		{" ", Ask},
		{"# git status", Ask},
		{"git", Ask},
		{"git statusx", Ask},
		{"git -C / status", Ask},
		{"gitstatus", Ask},
		{"git\\ status", Ask},
		{"'git status'", Ask},
		{"git\u00a0status", Ask},
		{"g\u0456t status", Ask},
		{"git \u0455tatus", Ask},
		{"\uff47\uff49\uff54 status", Ask},
		{"git\u200b status", Ask},
		{"\ufeffgit status", Ask},
		{"GIT status", Ask},
		{"./git status", Ask},
		{"/tmp/git status", Ask},
		{"~/git status", Ask},
		{"$git status", Ask},
		{"$(echo git) status", Ask},
		{"g?t status", Ask},
		{"git st*", Ask},
		{"{git,make} status", Ask},
		{"git {status,push}", Ask},
		{"$'git' status", Ask},
		{"$\"git\" status", Ask},
		{"=git status", Ask},
		{"sudo git status", Ask},
		{"doas git status", Ask},
		{"nohup git status", Ask},
		{"xargs git status", Ask},
		{"command git status", Ask},
		{"PATH=/tmp git status", Ask},
		{"GIT_PAGER=make git status", Ask},
		{"LD_PRELOAD=x git status", Ask},
		{"env LD_PRELOAD=x git status", Ask},
		{"env -S 'git status'", Ask},
		{"env make", Ask},
		{"env CI=$(make) git status", Ask},
		{"PATH=/tmp; git status", Ask},
		{"export PATH=/tmp; git status", Ask},
		{"CI=1", Ask},
		// It writes.
		{"git status > out.txt", Ask},
		{"git status >| out.txt", Ask},
		{"git status &> out.txt", Ask},
		{"git status >& out.txt", Ask},
		{"git status <> out.txt", Ask},
		{"git status 2> out.txt", Ask},
		{"> out.txt git status", Ask},
		{"git status > src/../out.txt", Ask},
		{"git status > src/leaves/x", Ask},
		{"git status > src/stays/x", Ask},
		{"git status > src/nowhere", Ask},
		{"git status > /etc/passwd", Ask},
		{"git status > ~/.bashrc", Ask},
		{"git status > $x", Ask},
		{"git status > \"src/$x\"", Ask},
		{"git status < /dev/tcp/evil.test/80", Ask},
		{"git status {fd}> src/x", Ask},
		{"cd docs && git status > src/x", Ask},
		// Not parseable.
		{"git status '", Ask},
		{"git status (make)", Ask},
		{"git status )", Ask},
		{"git status; ; make", Ask},
		{"git status <<", Ask},
		{"git status \x00", Ask},
		{"git status " + strings.Repeat("x", 100<<10), Ask},
		{strings.Repeat("git status;", 1000), Ask},
		{strings.Repeat("(", 2000) + "git status" + strings.Repeat(")", 2000), Ask},
		// Rejected at any position.
		{"git status; rm -rf /", Rejected},
		{"rm x", Rejected},
		{"/bin/rm x", Rejected},
		{"r\\m x", Rejected},
		{"git status $(rm x)", Rejected},
		{"git status `rm x`", Rejected},
		{"git status \"$(rm x)\"", Rejected},
		{"git status | xargs rm", Rejected},
		{"sudo rm x", Rejected},
		{"sudo -u me rm x", Rejected},
		{"env X=1 rm x", Rejected},
		{"bash -c 'rm x'", Rejected},
		{"./bash -c 'rm x'", Rejected},
		{"sudo bash -c 'rm x'", Rejected},
		{"bash -lc \"git status && rm x\"", Rejected},
		{"nohup timeout 5 rm x", Rejected},
		{"find . -exec rm {} ;", Rejected},
		{"for f in *; do rm $f; done", Rejected},
		{"f() { rm x; }", Rejected},
		{"while true; do rm x; done", Rejected},
		{"X=$(rm x)", Rejected},
		{"export X=$(rm x)", Rejected},
		{"git status > $(rm x)", Rejected},
		{"git status ${x:-$(rm x)}", Rejected},
		{"git status <<EOF\n$(rm x)\nEOF", Rejected},
		{"[[ -f $(rm x) ]]", Rejected},
		{"cat <(rm x)", Rejected},
		{"eval rm x", Rejected},
		{"git push", Rejected},
		{"git push --force origin main", Rejected},
		{"git log; 'git' \"push\"", Rejected},
	} {
		name := c.line
		if len(name) > 60 {
			name = name[:60]
		}
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			sub := Describe(&Call{Kind: "execute", Input: raw(t, map[string]string{"command": c.line})}, Place{Folder: dir})
			if got := set.Decide(sub, FollowRules); got.Verdict != c.want {
				t.Errorf("%s, want %s (unclear %q, %+v)", got.Verdict, c.want, sub.Unclear, sub.Commands)
			}
			if got := set.Decide(sub, ReadOnly); got.Verdict != Rejected {
				t.Errorf("in a read-only space: %s", got.Verdict)
			}
			asked := Ask
			if c.want == Rejected {
				asked = Rejected // rules that reject hold in each mode
			}
			if got := set.Decide(sub, AskAlways); got.Verdict != asked {
				t.Errorf("where everything is asked: %s, want %s", got.Verdict, asked)
			}
		})
	}
}

// TestFormsOfCommands: agents send commands in many forms.
func TestFormsOfCommands(t *testing.T) {
	dir := project(t)
	set := NewSet([]Rule{rule(Allow, "cmd:git status"), rule(Reject, "cmd:rm")})
	for _, c := range []struct {
		kind, input string
		want        Verdict
	}{
		{"execute", `{"command":"git status"}`, Allowed},
		{"execute", `{"cmd":"git status"}`, Allowed},
		{"execute", `{"script":"git status"}`, Allowed},
		{"other", `{"command":"git status"}`, Allowed},
		{"read", `{"command":"git status"}`, Allowed},
		{"something new", `{"command":"git status"}`, Allowed},
		{"execute", `{"command":["git","status","--short"]}`, Allowed},
		{"execute", `{"command":["bash","-lc","git status"]}`, Allowed},
		{"execute", `{"command":"git","args":["status"]}`, Allowed},
		{"execute", `{"command":"git status","args":null}`, Allowed},
		{"execute", `{"command":"git status","cwd":"src"}`, Allowed},
		{"execute", `{"command":"git status","description":"rm everything","timeout":10}`, Allowed},
		{"execute", `{"command":["bash","-lc","git status; make"]}`, Ask},
		{"execute", `{"command":["git status"]}`, Ask},
		{"execute", `{"command":["/tmp/bash","-lc","git status"]}`, Ask},
		{"execute", `{"command":["/bin/zsh","-lc","git status"]}`, Allowed},
		{"execute", `{"command":["git","status",";","make"]}`, Ask},
		{"execute", `{"command":["git","status","$(make)"]}`, Ask},
		{"execute", `{"command":[]}`, Ask},
		{"execute", `{"command":[1,2]}`, Ask},
		{"execute", `{"command":{"x":1}}`, Ask},
		{"execute", `{"command":null}`, Ask},
		{"execute", `{"command":"git","args":"status"}`, Ask},
		{"execute", `{"command":"git","args":["status","; make"]}`, Ask},
		{"execute", `{"command":"git status","cmd":"make"}`, Ask},
		{"execute", `{"command":"git status","cwd":"/"}`, Ask},
		{"execute", `{"command":"git status","cwd":"src/leaves"}`, Ask},
		{"execute", `{"command":"git status","cwd":"../x"}`, Ask},
		{"execute", `{"command":"git status","cwd":7}`, Ask},
		{"execute", `{"input":{"command":"git status"}}`, Ask},
		{"execute", `["git status"]`, Ask},
		{"execute", `"git status"`, Ask},
		{"execute", `{}`, Ask},
		{"execute", ``, Ask},
		{"execute", `{"command":"git status","cmd":"rm x"}`, Rejected},
		{"execute", `{"command":["bash","-c","rm x"]}`, Rejected},
		{"execute", `{"command":"rm","args":["x"]}`, Rejected},
		{"read", `{"command":"rm x"}`, Rejected},
	} {
		sub := Describe(&Call{Kind: c.kind, Title: "git status", Input: jsontext.Value(c.input)}, Place{Folder: dir})
		if got := set.Decide(sub, FollowRules); got.Verdict != c.want {
			t.Errorf("%s %s: %s, want %s (unclear %q)", c.kind, c.input, got.Verdict, c.want, sub.Unclear)
		}
	}
}

// Files are decided with a rule for edits in src, one that rejects .env, and one that allows reading.
func TestFiles(t *testing.T) {
	dir := project(t)
	set := NewSet([]Rule{rule(Allow, "kind:edit", "path:src/**"), rule(Reject, "path:**/.env"), rule(Allow, "kind:read"), rule(Allow, "path:docs/*.md")})
	abs := func(p string) string { return filepath.Join(dir, p) }
	for _, c := range []struct {
		kind  string
		input string
		paths []string
		diffs []string
		want  Verdict
	}{
		{kind: "edit", paths: []string{abs("src/a.go")}, want: Allowed},
		{kind: "edit", paths: []string{"src/a.go"}, want: Allowed},
		{kind: "edit", paths: []string{"./src//a.go"}, want: Allowed},
		{kind: "edit", diffs: []string{abs("src/new/file.go")}, want: Allowed},
		{kind: "edit", input: `{"file_path":"src/a.go","old_string":"x"}`, want: Allowed},
		{kind: "edit", input: `{"command":"str_replace","path":"src/a.go"}`, want: Allowed},
		{kind: "edit", paths: []string{"alias/a.go"}, want: Allowed},
		{kind: "edit", input: `{"uri":"file://` + abs("src/a.go") + `"}`, want: Allowed},
		{kind: "delete", paths: []string{"docs/x.md"}, want: Allowed},
		{kind: "move", paths: []string{"docs/x.md", "docs/y.md"}, want: Allowed},
		{kind: "read", paths: []string{"docs/other.txt"}, want: Allowed},
		{kind: "edit", paths: []string{"src/a.go", "docs/other.txt"}, want: Ask},
		{kind: "edit", paths: []string{"src/a.go"}, input: `{"path":"docs/other.txt"}`, want: Ask},
		{kind: "edit", paths: []string{"src/a.go"}, diffs: []string{"Makefile"}, want: Ask},
		{kind: "edit", paths: []string{"src/../docs/x"}, want: Ask},
		{kind: "edit", paths: []string{"src/../src/a.go"}, want: Ask},
		{kind: "edit", paths: []string{"src/stays/other.txt"}, want: Ask},
		{kind: "edit", paths: []string{"src/leaves/x"}, want: Ask},
		{kind: "edit", paths: []string{"src/nowhere"}, want: Ask},
		{kind: "edit", paths: []string{"src/nowhere/x"}, want: Ask},
		{kind: "edit", paths: []string{"src/a.go/x"}, want: Ask},
		{kind: "edit", paths: []string{"/etc/passwd"}, want: Ask},
		{kind: "edit", paths: []string{"~/src/a.go"}, want: Ask},
		{kind: "edit", paths: []string{"src\x00/a.go"}, want: Ask},
		{kind: "edit", paths: []string{"srcx/a.go"}, want: Ask},
		{kind: "edit", paths: []string{dir + "x/src/a.go"}, want: Ask},
		{kind: "edit", want: Ask},
		{kind: "read", diffs: []string{"docs/other.txt"}, want: Ask}, // it shows a change: it is one
		{kind: "read", paths: []string{"/etc/passwd"}, want: Ask},
		{kind: "read", paths: []string{"../x"}, want: Ask},
		{kind: "move", paths: []string{"docs/x.md"}, want: Ask},
		{kind: "move", paths: []string{"docs/x.md", "y.md"}, want: Ask},
		{kind: "other", paths: []string{"docs/x.md"}, want: Ask}, // nobody knows what it does to it
		{kind: "unheard", paths: []string{"docs/x.md"}, want: Ask},
		{kind: "edit", paths: []string{".env"}, want: Rejected},
		{kind: "edit", paths: []string{".ENV"}, want: Rejected},
		{kind: "read", paths: []string{"src/a.go", "src/deep/.env"}, want: Rejected},
		{kind: "read", paths: []string{"src/../.env"}, want: Rejected},
	} {
		sub := Describe(&Call{Kind: c.kind, Input: jsontext.Value(c.input), Paths: c.paths, Diffs: c.diffs}, Place{Folder: dir})
		if got := set.Decide(sub, FollowRules); got.Verdict != c.want {
			t.Errorf("%+v: %s, want %s (unclear %q, files %+v)", c, got.Verdict, c.want, sub.Unclear, sub.Files)
		}
	}
	inside := NewSet([]Rule{rule(Allow, "kind:edit", "path:**"), rule(Allow, "kind:edit")})
	for path, want := range map[string]Verdict{".git/hooks/pre-commit": Ask, "sub/.GIT/config": Ask, ".gitignore": Allowed} {
		if got := inside.Decide(Describe(&Call{Kind: "edit", Paths: []string{path}}, Place{Folder: dir}), FollowRules); got.Verdict != want {
			t.Errorf("%s: %s, want %s", path, got.Verdict, want)
		}
	}
}
