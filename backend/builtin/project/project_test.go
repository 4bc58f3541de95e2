package project

import (
	"slices"
	"strings"
	"testing"

	"weft/backend/builtin/folder"
)

func learn(files map[string]string) *Facts {
	var l folder.Listing
	for name := range files {
		l.Entries = append(l.Entries, folder.Entry{Path: name})
		l.Files++
	}
	slices.SortFunc(l.Entries, func(a, b folder.Entry) int { return strings.Compare(a.Path, b.Path) })
	f := Learn("dir", l)
	for _, name := range f.Manifests() {
		f.Read(name, files[name])
	}
	return f
}

func runs(f *Facts) string {
	var out []string
	for _, c := range f.Commands {
		out = append(out, c.Run)
	}
	return strings.Join(out, ", ")
}

func TestFacts(t *testing.T) {
	for _, tc := range []struct {
		name                      string
		files                     map[string]string
		wantName, commands, parts string
	}{
		{
			"go",
			map[string]string{"go.mod": "module example.com/x/tool\n\ngo 1.26\n", "Makefile": "# Build it\nbuild:\n\ttest: ## Run tests\n", "main.go": ""},
			"tool", "go build ./..., go test ./..., make build", "a Go module (`example.com/x/tool`, Go 1.26); a Makefile with 1 target",
		},
		{
			"pnpm",
			map[string]string{"package.json": `{"name":"a","scripts":{"prebuild":"x","build":"vite build","test":"vitest"}}`, "pnpm-lock.yaml": ""},
			"a", "pnpm install, pnpm run build, pnpm test", "an npm package",
		},
		{"broken json", map[string]string{"package.json": `{"name": oops`}, "dir", "npm install", "an npm package"},
		{"rust", map[string]string{"Cargo.toml": "[package]\nname = \"ox\"\nversion = \"1.0.0\"\n"}, "ox", "cargo build, cargo test", "a Rust crate (`ox`)"},
		{"python", map[string]string{"pyproject.toml": "[project]\nname = \"py\"\n[tool.pytest]\n"}, "py", "pip install -e ., pytest", "a Python package (`py`)"},
		{"nested", map[string]string{"go.mod": "module m\n", "web/package.json": `{"name":"web"}`}, "m", "go build ./..., go test ./...", "a Go module (`m`); in `web/` an npm package"},
		{"nothing", map[string]string{"notes.txt": ""}, "dir", "", ""},
	} {
		f := learn(tc.files)
		var parts []string
		for _, p := range f.Parts {
			parts = append(parts, p.What)
		}
		if f.Name != tc.wantName || runs(f) != tc.commands || strings.Join(parts, "; ") != tc.parts {
			t.Errorf("%s: name %q, commands %q, parts %q", tc.name, f.Name, runs(f), strings.Join(parts, "; "))
		}
	}
}

func TestFind(t *testing.T) {
	f := learn(map[string]string{"go.mod": "module m\n", "Makefile": "test:\n", "package.json": `{"scripts":{"lint":"eslint ."}}`})
	for verb, want := range map[string]string{"test": "make test", "lint": "npm run lint", "build": "go build ./..."} {
		if c, ok := f.Find(verb); !ok || c.Run != want {
			t.Errorf("%s: %q, %v", verb, c.Run, ok)
		}
	}
	if c, ok := f.Find("deploy"); ok {
		t.Errorf("found %q", c.Run)
	}
}
