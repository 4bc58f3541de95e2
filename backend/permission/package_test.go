package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// A program that runs the code of a package is covered only in the package of the space's folder, however another one
// is reached. A program that only reads is covered anywhere.
func TestRulesCoverTheFoldersOwnPackage(t *testing.T) {
	t.Parallel()
	dir := project(t)
	file := func(name string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	marks := []string{"package.json", "go.mod", "go.work", "Cargo.toml", "Makefile", "makefile", "GNUmakefile", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", "eslint.config.mjs", "vitest.config.ts", "vite.config.js", "jest.config.js", "tsconfig.json"}
	for _, name := range marks {
		file(name)
		file("in-" + name + "/" + name)
		file("in-" + name + "/deep/x")
	}
	file("in-git/.git/HEAD")
	file("in-git/deep/x")
	for line, inner := range map[string][]string{
		"npm test": {"package.json"}, "npm run build": {"package.json"}, "npm ci": {"package.json"}, "pnpm test": {"package.json"}, "yarn test": {"package.json"}, "bun run build": {"package.json"},
		"go test ./...": {"go.mod", "go.work"}, "go vet ./...": {"go.mod", "go.work"}, "go build ./...": {"go.mod", "go.work"},
		"cargo test": {"Cargo.toml"}, "cargo build": {"Cargo.toml"}, "cargo fmt": {"Cargo.toml"},
		"make": {"Makefile", "makefile", "GNUmakefile"}, "make test": {"Makefile"},
		"pytest":                 {"pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"},
		"python3 -m pytest":      {"pyproject.toml"},
		"eslint src":             {"package.json", "eslint.config.mjs"},
		"vitest run":             {"package.json", "vitest.config.ts", "vite.config.js"},
		"jest":                   {"package.json", "jest.config.js"},
		"tsc --noEmit":           {"package.json", "tsconfig.json"},
		"git commit -m x":        {"git"},
		"git push":               {"git"},
		"git pull":               {"git"},
		"git add src":            {"git"},
		"git log":                {},
		"cat package.json":       {},
		"env CI=1 npm test":      {"package.json"},
		"timeout 60 npm test":    {"package.json"},
		"bash -c 'npm test'":     {"package.json"},
		"npm test | head -5":     {"package.json"},
		"ls && npm test && true": {"package.json"},
	} {
		var rules []Rule
		for _, program := range []string{"npm test", "npm run build", "npm ci", "pnpm test", "yarn test", "bun run build", "go", "go test", "go vet", "go build", "cargo test", "cargo build", "cargo fmt", "make", "make test", "pytest", "python3 -m pytest", "eslint", "vitest run", "jest", "tsc", "git", "git commit", "git push", "git pull", "git add", "cat", "ls", "true"} {
			rules = append(rules, rule(Allow, "cmd:"+program))
		}
		set := NewSet(rules)
		check := func(line, cwd string, want Verdict) {
			t.Helper()
			sub := Describe(&Call{Kind: "execute", Input: raw(t, map[string]string{"command": line, "cwd": cwd})}, Place{Folder: dir})
			if got := set.Decide(sub, FollowRules).Verdict; got != want {
				t.Errorf("in %q, %s is answered %s, want %s (unclear %q)", cwd, line, got, want, sub.Unclear)
			} else if want == Ask && sub.Unclear != "package" {
				t.Errorf("in %q, %s is unclear because of %q", cwd, line, sub.Unclear)
			}
		}
		check(line, ".", Allowed)
		check("cd src/deep && "+line, "", Allowed)
		for _, name := range append(marks, "git") {
			want := Allowed
			if slices.Contains(inner, name) {
				want = Ask
			} else if len(inner) > 0 && inner[0] != "git" && name != "git" {
				continue // another file of the same package may count as well
			}
			check(line, "in-"+name, want)
			check(line, "in-"+name+"/deep", want)
			check("cd in-"+name+" && "+line, "", want)
			if !strings.HasPrefix(line, "git") { // any of these folders may be the one that git looks at
				check("cd in-"+name+"; cd deep; "+line, "", want)
			}
			check("(cd in-"+name+" && "+line+")", "", want)
		}
	}
}

// A rule with the exact line covers a line that names another package.
func TestExactLineNamesAnotherPackage(t *testing.T) {
	t.Parallel()
	dir := project(t)
	for _, line := range []string{"npm --prefix src test", "npm test -w inner", "cargo test --workspace", "make -C src test"} {
		set := NewSet([]Rule{rule(Allow, "cmd:"+line)})
		if got, sub := decide(t, dir, set, line); got != Allowed {
			t.Errorf("%s is answered %s (unclear %q)", line, got, sub.Unclear)
		}
		_, sub := decide(t, dir, nil, line)
		if got := Suggest(sub).Commands; !slices.Equal(got, []string{line}) {
			t.Errorf("%s: %q is suggested", line, got)
		}
	}
	sub := Describe(&Call{Kind: "execute", Input: jsontext.Value(`{"command":"npm test","cwd":"src"}`)}, Place{Folder: dir})
	if got := NewSet([]Rule{rule(Allow, "kind:execute")}).Decide(sub, FollowRules).Verdict; got != Allowed {
		t.Errorf("a rule for all commands answers %s", got)
	}
}
