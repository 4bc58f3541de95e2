package project

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"weft/backend/builtin/outline"
)

// Read learns from the text of one of the files that Manifests named. Text it does not understand is passed over.
func (f *Facts) Read(file, text string) {
	if dir, base := path.Split(file); dir != "" {
		// A part of the project; its name, version and commands are not those of the whole.
		inner := Facts{present: map[string]string{}}
		inner.Read(base, text)
		for _, p := range inner.Parts {
			f.part(file, "in `"+dir+"` "+p.What)
		}
		return
	}
	switch lower := strings.ToLower(file); {
	case strings.HasPrefix(lower, "readme"):
		f.readme(file, text)
	case lower == "package.json":
		f.packageJSON(file, text)
	case lower == "go.mod":
		f.goMod(file, text)
	case lower == "cargo.toml":
		f.tomlPackage(file, text, "Rust crate", Command{Run: "cargo build", What: "build", From: file}, Command{Run: "cargo test", What: "test", From: file})
	case lower == "pyproject.toml":
		f.pyproject(file, text)
	case lower == "requirements.txt":
		f.part(file, "a Python project with a requirements list")
		f.command(file, "pip install -r "+file, "install dependencies")
	case lower == "pom.xml":
		f.part(file, "a Maven project")
		f.command(file, "mvn package", "build")
		f.command(file, "mvn test", "test")
	case strings.HasPrefix(lower, "build.gradle"):
		f.part(file, "a Gradle project")
		gradle := "gradle"
		if _, ok := f.Has("gradlew"); ok {
			gradle = "./gradlew"
		}
		f.command(file, gradle+" build", "build")
		f.command(file, gradle+" test", "test")
	case lower == "cmakelists.txt":
		f.part(file, "a CMake project")
		f.command(file, "cmake -B build && cmake --build build", "build")
	case lower == "gemfile":
		f.part(file, "a Ruby project with a Gemfile")
		f.command(file, "bundle install", "install dependencies")
	case lower == "composer.json":
		f.part(file, "a PHP project with Composer")
		f.command(file, "composer install", "install dependencies")
	case strings.HasSuffix(lower, "makefile"):
		f.targets(file, text, "make", outline.Describe("Makefile", text))
	case lower == "justfile":
		f.targets(file, text, "just", outline.Describe("Makefile", text))
	case strings.HasPrefix(lower, "license"), strings.HasPrefix(lower, "copying"):
		f.License = cmp.Or(licenseName(text), f.License)
	}
}

func (f *Facts) part(from, what string) { f.Parts = append(f.Parts, Part{what, from}) }
func (f *Facts) command(from, run, what string) {
	f.Commands = append(f.Commands, Command{Run: run, What: what, From: from})
}

func (f *Facts) about(from, text string) {
	if f.About == "" && text != "" {
		f.About, f.AboutFrom = text, from
	}
}

func (f *Facts) readme(file, text string) {
	o := outline.Describe("README.md", text)
	for _, d := range o.Declarations {
		if d.Kind == "h1" {
			f.Title = d.Name
			break
		}
	}
	f.about(file, o.About)
}

func (f *Facts) packageJSON(file, text string) {
	var pkg struct {
		Name, Description, Version, License, PackageManager string
		Private                                             bool
		Scripts                                             json.RawMessage
		Workspaces                                          json.RawMessage
		Dependencies, DevDependencies                       map[string]json.RawMessage
	}
	// Fields of another shape than expected leave the rest readable, so the error is of no interest.
	_ = json.Unmarshal([]byte(text), &pkg)
	f.Name = cmp.Or(pkg.Name, f.Name)
	f.Version = cmp.Or(pkg.Version, f.Version)
	f.License = cmp.Or(f.License, pkg.License)
	f.about(file, pkg.Description)
	what := "an npm package"
	if len(pkg.Workspaces) > 0 {
		what = "an npm workspace"
	}
	if n := len(pkg.Dependencies) + len(pkg.DevDependencies); n > 0 {
		what += fmt.Sprintf(" with %d dependencies (%d for development)", n, len(pkg.DevDependencies))
	}
	if known := frameworks(pkg.Dependencies, pkg.DevDependencies); known != "" {
		what += ", using " + known
	}
	f.part(file, what)
	manager := f.nodeManager(pkg.PackageManager)
	f.command(file, manager+" install", "install dependencies")
	for _, d := range outline.Describe("package.json", string(pkg.Scripts)).Declarations {
		if strings.HasPrefix(d.Name, "pre") || strings.HasPrefix(d.Name, "post") {
			continue
		}
		run := manager + " run " + d.Name
		if d.Name == "test" || d.Name == "start" {
			run = manager + " " + d.Name
		}
		var script string
		_ = json.Unmarshal([]byte(d.Doc), &script) // a long script is left out
		f.Commands = append(f.Commands, Command{Run: run, What: script, From: file, Shell: true})
	}
}

func (f *Facts) nodeManager(declared string) string {
	if name, _, _ := strings.Cut(declared, "@"); name != "" {
		return name
	}
	for lock, name := range map[string]string{"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun"} {
		if _, ok := f.Has(lock); ok {
			return name
		}
	}
	return "npm"
}

func frameworks(deps ...map[string]json.RawMessage) string {
	var found []string
	for _, pair := range [][2]string{
		{"typescript", "TypeScript"},
		{"react", "React"},
		{"vue", "Vue"},
		{"svelte", "Svelte"},
		{"@angular/core", "Angular"},
		{"next", "Next.js"},
		{"express", "Express"},
		{"fastify", "Fastify"},
		{"electron", "Electron"},
		{"vite", "Vite"},
		{"vitest", "Vitest"},
		{"jest", "Jest"},
		{"mocha", "Mocha"},
		{"eslint", "ESLint"},
		{"@biomejs/biome", "Biome"},
		{"prettier", "Prettier"},
	} {
		if slices.ContainsFunc(deps, func(m map[string]json.RawMessage) bool { _, ok := m[pair[0]]; return ok }) {
			found = append(found, pair[1])
		}
	}
	return strings.Join(found, ", ")
}

var (
	goModule  = regexp.MustCompile(`(?m)^module\s+(\S+)`)
	goVersion = regexp.MustCompile(`(?m)^go\s+(\S+)`)
	tomlField = regexp.MustCompile(`(?m)^(name|version|description|license)\s*=\s*"([^"]*)"`)
	licenses  = []struct{ mark, name string }{
		{"MIT License", "MIT"},
		{"Permission is hereby granted, free of charge", "MIT"},
		{"Apache License", "Apache-2.0"},
		{"GNU AFFERO GENERAL PUBLIC", "AGPL"},
		{"GNU LESSER GENERAL PUBLIC", "LGPL"},
		{"GNU GENERAL PUBLIC LICENSE", "GPL"},
		{"Mozilla Public License", "MPL-2.0"},
		{"ISC License", "ISC"},
		{"Redistribution and use in source and binary forms", "BSD"},
		{"This is free and unencumbered software", "Unlicense"},
	}
)

func (f *Facts) goMod(file, text string) {
	what := "a Go module"
	if m := goModule.FindStringSubmatch(text); m != nil {
		what += " (`" + m[1] + "`"
		if v := goVersion.FindStringSubmatch(text); v != nil {
			what += ", Go " + v[1]
		}
		what += ")"
		f.Name = m[1][strings.LastIndexByte(m[1], '/')+1:]
	}
	f.part(file, what)
	f.command(file, "go build ./...", "build")
	f.command(file, "go test ./...", "test")
}

func (f *Facts) tomlPackage(file, text, what string, commands ...Command) {
	for _, m := range tomlField.FindAllStringSubmatch(text, -1) {
		switch m[1] {
		case "name":
			what, f.Name = what+" (`"+m[2]+"`)", m[2]
		case "version":
			f.Version = cmp.Or(f.Version, m[2])
		case "description":
			f.about(file, m[2])
		case "license":
			f.License = cmp.Or(f.License, m[2])
		}
	}
	f.part(file, "a "+what)
	f.Commands = append(f.Commands, commands...)
}

func (f *Facts) pyproject(file, text string) {
	var commands []Command
	if strings.Contains(text, "[tool.poetry") {
		commands = append(commands, Command{Run: "poetry install", What: "install dependencies", From: file})
	} else if _, ok := f.Has("uv.lock"); ok {
		commands = append(commands, Command{Run: "uv sync", What: "install dependencies", From: file})
	} else {
		commands = append(commands, Command{Run: "pip install -e .", What: "install", From: file})
	}
	if strings.Contains(text, "pytest") {
		commands = append(commands, Command{Run: "pytest", What: "test", From: file})
	}
	f.tomlPackage(file, text, "Python package", commands...)
}

func (f *Facts) targets(file, text, tool string, o outline.Outline) {
	n := 0
	for _, d := range o.Declarations {
		if d.Kind != "target" || strings.ContainsAny(d.Name, "%$/.") {
			continue
		}
		n++
		f.command(file, tool+" "+d.Name, targetComment(text, d.Line))
	}
	if n > 0 {
		f.part(file, fmt.Sprintf("a %s with %s", file, targetCount(n)))
	}
}

// targetComment takes the "## …" behind a target or the "# …" line above it.
func targetComment(text string, line int) string {
	lines := strings.Split(text, "\n")
	if _, help, ok := strings.Cut(lines[line-1], "##"); ok {
		return strings.TrimSpace(help)
	}
	if line >= 2 {
		if help, ok := strings.CutPrefix(lines[line-2], "#"); ok {
			return strings.TrimSpace(strings.Trim(help, "# "))
		}
	}
	return ""
}

func licenseName(text string) string {
	text = strings.Join(strings.Fields(text[:min(len(text), 4096)]), " ")
	for _, l := range licenses {
		if strings.Contains(strings.ToLower(text), strings.ToLower(l.mark)) {
			return l.name
		}
	}
	return ""
}

// Find returns the first command whose words or meaning name one of the verbs, preferring a Makefile.
func (f *Facts) Find(verbs ...string) (Command, bool) {
	for _, wantMake := range []bool{true, false} {
		for _, verb := range verbs {
			for _, c := range f.Commands {
				words := strings.Fields(c.Run)
				isMake := words[0] == "make" || words[0] == "just"
				if isMake == wantMake && (words[len(words)-1] == verb || c.What == verb || (len(words) > 1 && words[1] == verb)) {
					return c, true
				}
			}
		}
	}
	return Command{}, false
}

func targetCount(n int) string {
	if n == 1 {
		return "1 target"
	}
	return fmt.Sprintf("%d targets", n)
}
