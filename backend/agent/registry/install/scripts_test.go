package install

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/backend/agent/registry"
)

var scriptAgent = registry.Target{Kind: registry.KindNPX, Package: "robin", Version: "1.0.0", Args: []string{}, Env: map[string]string{}}

// scriptedPackages serves an agent with its dependencies. Each of their scripts creates a file in the folder marks.
func scriptedPackages(t *testing.T, marks string) {
	t.Helper()
	scripts := func(events ...string) map[string]any {
		m := map[string]any{"test": mark(marks, "test"), "prepare": mark(marks, "prepare")}
		for _, e := range events {
			m[e] = mark(marks, e)
		}
		return m
	}
	npmRegistry(t,
		npmPackage{
			about: map[string]any{
				"name": "robin", "version": "1.0.0", "bin": "robin.js", "scripts": scripts("postinstall"), "hasInstallScript": true,
				"dependencies": map[string]any{"plain": "1.0.0", "@scope/early": "1.0.0"}, "optionalDependencies": map[string]any{"extra": "1.0.0"},
			},
			files: map[string]string{"robin.js": "#!/usr/bin/env node\n"},
		},
		npmPackage{about: map[string]any{"name": "plain", "version": "1.0.0", "Scripts": map[string]any{"install": mark(marks, "never")}}},
		npmPackage{about: map[string]any{"name": "@scope/early", "version": "1.0.0", "scripts": scripts("preinstall", "install")}},
		npmPackage{about: map[string]any{"name": "extra", "version": "1.0.0", "scripts": map[string]any{"install": "exit 3"}}},
	)
}

func marksIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestInstallScriptsWaitForTheUser(t *testing.T) {
	marks := t.TempDir()
	scriptedPackages(t, marks)
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents"), Answers: filepath.Join(t.TempDir(), "answers")})
	answer, asked := false, []Question{}
	ask := Ask(func(_ context.Context, q Question) (bool, error) {
		if ran := marksIn(t, marks); len(ran) > 0 {
			t.Errorf("ran before the answer: %v", ran)
		}
		asked = append(asked, q)
		return answer, nil
	})
	install := func() Record {
		t.Helper()
		r, err := in.Install(t.Context(), entryA, scriptAgent, false, quiet, ask)
		if err != nil {
			var own *Error
			_ = errors.As(err, &own)
			t.Fatalf("%v\n%+v", err, own)
		}
		return r
	}
	r := install()
	if ran := marksIn(t, marks); len(ran) > 0 {
		t.Errorf("ran without a yes: %v", ran)
	}
	if len(asked) != 1 || asked[0].Code != CodeScripts || !strings.HasPrefix(asked[0].Message, "3 packages of A 1.0.0 want to run install scripts") {
		t.Fatalf("%+v", asked)
	}
	lines := []string{}
	for _, s := range asked[0].Scripts {
		lines = append(lines, s.Package+"@"+s.Version+" "+s.Event+": "+s.Command)
	}
	want := []string{
		"@scope/early@1.0.0 preinstall: " + mark(marks, "preinstall"), "@scope/early@1.0.0 install: " + mark(marks, "install"),
		"extra@1.0.0 install: exit 3", "robin@1.0.0 postinstall: " + mark(marks, "postinstall"),
	}
	if !slices.Equal(lines, want) {
		t.Errorf("asked about\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if want := "The install scripts of 3 packages (@scope/early, extra, robin) didn't run."; !strings.HasPrefix(r.Warning, want) {
		t.Errorf("warning: %s", r.Warning)
	}

	// After a no, Weft asks again; after a yes, it doesn't.
	answer = true
	r = install()
	if ran := marksIn(t, marks); !slices.Equal(ran, []string{"install", "postinstall", "preinstall"}) {
		t.Errorf("ran after a yes: %v", ran)
	}
	if want := "The install scripts of 1 optional package (extra) failed."; !strings.HasPrefix(r.Warning, want) {
		t.Errorf("warning: %s", r.Warning)
	}
	install()
	if len(asked) != 2 || asked[1].Token != asked[0].Token {
		t.Errorf("asked %d times", len(asked))
	}
}

func TestInstallWithoutAnAnswerLeavesNothing(t *testing.T) {
	marks := t.TempDir()
	scriptedPackages(t, marks)
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents")})
	nobody := &Error{Code: CodeScripts, Message: "nobody is here"}
	_, err := in.Install(t.Context(), entryA, scriptAgent, false, quiet, func(context.Context, Question) (bool, error) { return true, nobody })
	mustFail(t, err, CodeScripts, "nobody")
	if ran := marksIn(t, marks); len(ran) > 0 {
		t.Errorf("ran: %v", ran)
	}
	empty(t, in)
}

// npm prepares a package from a git repository with another npm process.
func TestScriptsOfGitDependenciesDoNotRun(t *testing.T) {
	marks, repo := t.TempDir(), t.TempDir()
	about := `{"name":"fromgit","version":"1.0.0","scripts":{"prepare":` + quoted(mark(marks, "prepare")) + `,"preinstall":` + quoted(mark(marks, "preinstall")) + `}}`
	if err := os.WriteFile(filepath.Join(repo, "package.json"), []byte(about), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "x"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	npmRegistry(t, npmPackage{
		about: map[string]any{"name": "robin", "version": "1.0.0", "bin": "robin.js", "dependencies": map[string]any{"fromgit": "git+file://" + repo}},
		files: map[string]string{"robin.js": "#!/usr/bin/env node\n"},
	})
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents")})
	asked := 0
	_, err := in.Install(t.Context(), entryA, scriptAgent, false, quiet, func(_ context.Context, q Question) (bool, error) {
		asked++
		if len(q.Scripts) != 1 || q.Scripts[0].Event != "preinstall" {
			t.Errorf("asked about %+v", q.Scripts)
		}
		return false, nil
	})
	if err != nil || asked != 1 {
		var own *Error
		_ = errors.As(err, &own)
		t.Errorf("%v, asked %d times: %+v", err, asked, own)
	}
	if ran := marksIn(t, marks); len(ran) > 0 {
		t.Errorf("ran: %v", ran)
	}
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func TestFindScripts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("node_modules/native/package.json", `{"version":"1.0.0"}`)
	write("node_modules/native/binding.gyp", "")
	write("node_modules/built/package.json", `{"version":"1.0.0","gypfile":false}`)
	write("node_modules/built/binding.gyp", "")
	write("node_modules/own/package.json", "\uFEFF"+`{"version":"1.0.0","scripts":{"install":"","preinstall":"first"}}`)
	write("node_modules/own/binding.gyp", "")
	write("node_modules/twice/package.json", `{"scripts":{"install":"real"},"Scripts":{}}`)
	write("node_modules/odd/package.json", `{"version":7,"scripts":{"install":{"a":1},"postinstall":"after"}}`)
	write("node_modules/broken/package.json", `{"scripts":`)
	write("node_modules/a/node_modules/@s/deep/package.json", `{"version":"2.0.0","scripts":{"postinstall":"deep"}}`)
	write("node_modules/.hidden/package.json", `{"scripts":{"install":"hidden"}}`)
	write("node_modules/.package-lock.json", `{"packages":{"node_modules/native":{"optional":true}}}`)
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "node_modules/link")); err != nil {
		t.Fatal(err)
	}
	found, err := findScripts(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Script{
		{Package: "@s/deep", Version: "2.0.0", Event: "postinstall", Command: "deep", folder: "node_modules/a/node_modules/@s/deep"},
		{Package: "native", Version: "1.0.0", Event: "install", Command: "node-gyp rebuild", folder: "node_modules/native", optional: true},
		{Package: "odd", Event: "postinstall", Command: "after", folder: "node_modules/odd"},
		{Package: "own", Version: "1.0.0", Event: "preinstall", Command: "first", folder: "node_modules/own"},
		{Package: "twice", Event: "install", Command: "real", folder: "node_modules/twice"},
	}
	if !slices.Equal(found, want) {
		t.Errorf("%+v\nwant %+v", found, want)
	}
}
